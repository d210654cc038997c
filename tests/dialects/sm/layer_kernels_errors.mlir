// What kernels of two layers refuse, message by message.
// RUN: alg-opt %s -split-input-file -verify-diagnostics

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{says the layout of its hidden layer together with its schedule}}
sm.kernel @layout_alone(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                        %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{says the layout of its hidden layer together with its schedule}}
sm.kernel @schedule_alone(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                          %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has two layers, each with a #tile.layout and a schedule, both #tile.staged or both #tile.reduced}}
sm.kernel @no_layout(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                     %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = "by hand", hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has two layers, each with a #tile.layout and a schedule, both #tile.staged or both #tile.reduced}}
sm.kernel @hidden_by_hand(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                          %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = "by hand", layout = #layout, schedule = #schedule} {
}

// -----

#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has two layers, each with a #tile.layout and a schedule, both #tile.staged or both #tile.reduced}}
sm.kernel @own_by_hand(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                       %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #layout, hidden_schedule = #schedule, layout = #layout, schedule = "by hand"} {
}

// -----

#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 96>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has a hidden layer that leaves #alg.groups<2 x 96>, but its own one multiplies #alg.groups<2 x 64>}}
sm.kernel @between(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                   %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table)
    attributes {hidden_layout = #hidden, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
}

// -----

// Numbers of columns belong to one of the layers.
#hidden = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 96>,
                       row_types = <cyclic 2>>
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 96>, weights = <2 x 96>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has '!sm.columns<2 x 128 x f32>', but its layout's output groups are #alg.groups<2 x 64>}}
sm.kernel @bias(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table,
                %bias: !sm.columns<2 x 128 x f32>)
    attributes {hidden_layout = #hidden, hidden_schedule = #schedule, layout = #layout, schedule = #schedule} {
}

// -----

// Without a hidden layer all weight matrices come in boxes like those of W.
#layout = #tile.layout<algebra = #alg.algebra<"Q(2)">, lift = rows, in = <2 x 64>, weights = <2 x 64>, out = <2 x 64>,
                       row_types = <cyclic 2>>
#schedule = #tile.staged<types = 1, rows = 64, columns = 64, depth = 64, stages = 2>
// expected-error @+1 {{has maps of a further weight matrix, '!sm.maps<1 x 32 x 64 x bf16, row_dimension 2>', unlike those of W, '!sm.maps<1 x 64 x 64 x bf16, row_dimension 2>'}}
sm.kernel @one_layer(%x: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %w: !sm.maps<1 x 64 x 64 x bf16, row_dimension 2>,
                     %y: !sm.maps<2 x 64 x 64 x bf16, row_dimension 3>, %rows: index, %offset: index, %terms: !sm.terms_table,
                     %w2: !sm.maps<1 x 32 x 64 x bf16, row_dimension 2>) attributes {layout = #layout, schedule = #schedule} {
}
