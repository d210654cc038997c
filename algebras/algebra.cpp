#include "algebras/algebra.h"

#include "algebras/constructions/construction.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <stdexcept>

namespace algebras {

namespace {

void requireIndex(int64_t index, int64_t size, const char *what) {
  if (index < 0 || index >= size)
    throw std::out_of_range(fmt::format("{} {} of {}", what, index, size));
}

void requirePositions(const Algebra &algebra) {
  if (!algebra.hasPositions())
    throw std::logic_error(fmt::format("{} is not matrix-like: its slots have no positions", algebra.name()));
}

} // namespace

Algebra::Algebra(std::shared_ptr<const detail::Construction> construction)
    : construction_(std::move(construction)) {}

Algebra::Kind Algebra::kind() const { return construction_->kind(); }
const std::string &Algebra::name() const { return construction_->name(); }
std::string Algebra::expression() const { return construction_->expression(); }
const Field &Algebra::field() const { return construction_->field(); }
int64_t Algebra::dimension() const { return construction_->dimension(); }
int64_t Algebra::nonzeros() const { return construction_->nonzeros(); }
const std::vector<Algebra> &Algebra::factors() const { return construction_->factors(); }
int64_t Algebra::parameter() const { return construction_->parameter(); }
const Graph *Algebra::graph() const { return construction_->graph(); }
const Table *Algebra::table() const { return construction_->table(); }
const BoundQuiver *Algebra::boundQuiver() const { return construction_->boundQuiver(); }
const Poset *Algebra::poset() const { return construction_->poset(); }
bool Algebra::isMatrixLike() const { return construction_->isMatrixLike(); }
bool Algebra::hasPositions() const { return construction_->hasPositions(); }

bool Algebra::hasConstantsOne() const {
  requirePositions(*this);
  return construction_->hasConstantsOne();
}

Table Algebra::expand() const {
  if (const Table *own = table())
    return *own;
  if (nonzeros() > expansion_limit || dimension() > expansion_limit)
    throw InputError(fmt::format("{} has {} products in {} slots; a table is written out up to {}", name(),
                                 nonzeros(), dimension(), expansion_limit));
  std::vector<Constant> constants;
  constants.reserve(nonzeros());
  for (int64_t slot = 0; slot < dimension(); ++slot) {
    std::vector<Constant> own = construction_->constantsInto(slot);
    constants.insert(constants.end(), std::make_move_iterator(own.begin()),
                     std::make_move_iterator(own.end()));
  }
  return Table(name(), field(), dimension(), std::move(constants));
}

std::vector<Constant> Algebra::constantsInto(int64_t slot) const {
  requireIndex(slot, dimension(), "slot");
  return construction_->constantsInto(slot);
}

std::string Algebra::slotName(int64_t slot) const {
  requireIndex(slot, dimension(), "slot");
  return construction_->slotName(slot);
}

int64_t Algebra::positions() const {
  requirePositions(*this);
  return construction_->positions();
}

Position Algebra::position(int64_t slot) const {
  requirePositions(*this);
  requireIndex(slot, dimension(), "slot");
  return construction_->position(slot);
}

std::optional<int64_t> Algebra::slotAt(Position position) const {
  requireIndex(position.row, positions(), "row");
  requireIndex(position.column, positions(), "column");
  return construction_->slotAt(position);
}

std::vector<int64_t> Algebra::support(int64_t i, int64_t j) const {
  requireIndex(i, positions(), "row");
  requireIndex(j, positions(), "column");
  return construction_->support(i, j);
}

int64_t Algebra::rowTypes() const {
  requirePositions(*this);
  return construction_->rowTypes();
}

int64_t Algebra::rowTypeOf(int64_t row) const {
  requireIndex(row, positions(), "row");
  return construction_->rowTypeOf(row);
}

int64_t Algebra::firstRowOf(int64_t type) const {
  requireIndex(type, rowTypes(), "row type");
  return construction_->firstRowOf(type);
}

} // namespace algebras
