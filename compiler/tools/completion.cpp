// algctl completion: scripts for shells, generated from the tree of commands.
#include "compiler/tools/commands.h"

#include "compiler/schedule/cpu_level.h"
#include "compiler/schedule/targets.h"
#include "compiler/tools/output_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <vector>

namespace compiler {
namespace {

const std::vector<std::string> &shellNames() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish"};
  return names;
}

// What may stand behind an option, as far as a shell can know.
enum class Value { None, File, Words, List /* of words, separated by commas */, Other };

struct OptionEntry {
  std::vector<std::string> names; // with dashes
  std::string description;
  Value value = Value::None;
  std::vector<std::string> words;
};

struct CommandEntry {
  std::string path; // "cost", or "cache ls" of a command within one
  std::string description;
  std::vector<OptionEntry> options;
  std::vector<std::string> commands; // within it
  std::vector<std::string> words;    // for its arguments; files where there are none

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

struct Known {
  std::string commands; // with a blank before and behind each
  const char *option;
  Value value;
  std::vector<std::string> words;
};

// The options whose values are from a fixed set; tests/tools/completion_test.cpp holds them against what the
// commands take.
const std::vector<Known> &knownValues() {
  static const std::vector<std::string> targets = targetNames(), maps = {"forward", "dx", "dw"},
                                        types = {"f32", "bf16"};
  static const std::vector<Known> known = {
      {" compile emit ", "--target", Value::List, targets},
      {" simulate ", "--target", Value::Words, gpuTargetNames()},
      {"", "--target", Value::Words, targets},
      {"", "--cpu", Value::List, cpuLevelNames()},
      {"", "--dtype", Value::Words, types},
      {"", "--y-dtype", Value::Words, types},
      {"", "--result-dtype", Value::Words, types},
      {"", "--row-types", Value::Words, {"cyclic", "interval(", "explicit"}},
      {"", "--lift", Value::Words, {"rows", "slots"}},
      {"", "--field", Value::Words, {"Q", "GF("}},
      {" emit ", "--map", Value::Words, {"forward", "dx", "dw", "dbias", "group_rows"}},
      {" bench ", "--map", Value::List, {"forward", "decode", "dx", "dw", "training"}},
      {"", "--map", Value::Words, maps},
      {"", "--maps", Value::List, maps},
      {"", "--program-maps", Value::List, {"forward", "backward"}},
      {"",
       "--stage",
       Value::Words,
       {"alg", "fused", "tile", "vector", "llvm", "asm", "obj", "c", "sm-synchronous", "sm", "nvvm", "ptx",
        "cubin", "sass"}},
      {"", "--format", Value::Words, {"text", "json", "dot", "svg", "html"}},
      {"", "--against", Value::Words, {"dense", "none"}},
  };
  return known;
}

// The first that fits the command.
void addValue(const std::string &command, const CLI::Option &option, OptionEntry &entry) {
  const std::string type = option.get_type_name();
  entry.value = Value::Other;
  for (const char *file : {"FILE", "FOLDER", "BUNDLE"})
    if (type.find(file) != std::string::npos)
      entry.value = Value::File;
  for (const Known &known : knownValues())
    if (std::find(entry.names.begin(), entry.names.end(), known.option) != entry.names.end() &&
        (known.commands.empty() || known.commands.find(" " + command + " ") != std::string::npos)) {
      entry.value = known.value;
      entry.words = known.words;
      return;
    }
}

void readTree(const CLI::App &app, const std::string &path, std::vector<CommandEntry> &commands) {
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
    CommandEntry entry{path + command->get_name(), command->get_description(), {}, {}, {}};
    for (const CLI::Option *option : command->get_options()) {
      if (option->get_group().empty()) // which is not shown
        continue;
      OptionEntry words{{}, option->get_description(), Value::None, {}};
      for (const std::string &name : option->get_snames())
        words.names.push_back("-" + name);
      for (const std::string &name : option->get_lnames())
        words.names.push_back("--" + name);
      if (option->get_items_expected_max() > 0)
        addValue(command->get_name(), *option, words);
      if (!words.names.empty())
        entry.options.push_back(std::move(words));
    }
    for (const CLI::App *inner : command->get_subcommands([](const CLI::App *) { return true; }))
      entry.commands.push_back(inner->get_name());
    if (entry.path == "completion")
      entry.words = shellNames();
    commands.push_back(std::move(entry));
    readTree(*command, commands.back().path + " ", commands);
  }
}

bool isOutermost(const CommandEntry &command) { return command.path.find(' ') == std::string::npos; }

// Inside single quotes of a shell.
std::string quoted(std::string text, const char *escaped_quote) {
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos;
       at += std::string(escaped_quote).size())
    text.replace(at, 1, escaped_quote);
  return text;
}

std::string bashScript(const std::vector<CommandEntry> &commands) {
  std::string names, words, values, nested = "''"; // no command is called so
  for (const CommandEntry &command : commands) {
    if (isOutermost(command))
      names += (names.empty() ? "" : " ") + command.name();
    std::string options;
    for (const OptionEntry &option : command.options) {
      options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(option.names, " "));
      if (option.value == Value::None)
        continue;
      std::vector<std::string> patterns;
      for (const std::string &name : option.names)
        patterns.push_back(fmt::format("'{} {}'", command.path, name));
      values += fmt::format("    {}) ", fmt::join(patterns, " | "));
      switch (option.value) {
      case Value::None:
      case Value::Other:
        values += "return";
        break;
      case Value::File:
        values += "_algctl_files \"$current\"; return";
        break;
      case Value::Words:
      case Value::List:
        values += fmt::format("_algctl_words {} '{}'; return", option.value == Value::List ? "," : "''",
                              fmt::join(option.words, " "));
        break;
      }
      values += " ;;\n";
    }
    words += fmt::format("    '{}') options='{}' words='{}' ;;\n", command.path, options,
                         fmt::join(command.commands.empty() ? command.words : command.commands, " "));
    if (!command.commands.empty())
      nested += " | " + command.path;
  }
  return fmt::format(
      R"bash(# bash completion for algctl: source it, or put it into ~/.local/share/bash-completion/completions/algctl
_algctl_files() {{
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -- "$1"))
}}
# Words that begin as $current does; with a separator, behind the last one.
_algctl_words() {{
  local separator="$1" word begun="" last="$current"
  if [[ -n "$separator" && "$current" == *"$separator"* ]]; then
    begun="${{current%"$separator"*}}$separator" last="${{current##*"$separator"}}"
  fi
  for word in $2; do
    [[ "$word" == "$last"* ]] && COMPREPLY+=("$glued$begun$word")
  done
}}
_algctl() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" option="${{COMP_WORDS[COMP_CWORD - 1]}}" glued="" options="" words=""
  local command="${{COMP_WORDS[1]}}"
  COMPREPLY=()
  if [[ "$COMP_CWORD" -eq 1 ]]; then
    _algctl_words '' '{} --help --version'
    return
  fi
  # --option=value comes as three words, or as one where COMP_WORDBREAKS has no equals sign.
  if [[ "$current" == "=" ]]; then
    current=""
  elif [[ "$option" == "=" ]]; then
    option="${{COMP_WORDS[COMP_CWORD - 2]}}"
  elif [[ "$current" == --*=* ]]; then
    option="${{current%%=*}}" glued="${{current%%=*}}=" current="${{current#*=}}"
  fi
  case "$command" in
    {}) [[ "$COMP_CWORD" -gt 2 ]] && command="$command ${{COMP_WORDS[2]}}" ;;
  esac
  case "$command $option" in
{}  esac
  case "$command" in
{}  esac
  if [[ "$current" == -* ]]; then
    _algctl_words '' "$options"
  elif [[ -n "$words" ]]; then
    _algctl_words '' "$words"
  else
    _algctl_files "$current"
  fi
}}
complete -o filenames -F _algctl algctl
)bash",
      names, nested, values, words);
}

// What _arguments does behind an option.
std::string zshAction(const OptionEntry &option) {
  switch (option.value) {
  case Value::None:
    return "";
  case Value::Other:
    return ":value: ";
  case Value::File:
    return ":file:_files";
  case Value::Words:
  case Value::List:
    break;
  }
  std::string words = fmt::format("{}", fmt::join(option.words, " "));
  // Parentheses group.
  for (size_t at = 0; (at = words.find('(', at)) != std::string::npos; at += 2)
    words.insert(at, "\\");
  return option.value == Value::List ? fmt::format(":value:_values -s , value {}", words)
                                     : fmt::format(":value:({})", words);
}

std::string zshScript(const std::vector<CommandEntry> &commands) {
  std::string names, cases, nested = "''";
  for (const CommandEntry &command : commands) {
    if (isOutermost(command))
      names += fmt::format("    '{}:{}'\n", command.name(), quoted(command.description, "'\\''"));
    if (!command.commands.empty()) {
      nested += "|" + command.path;
      cases += fmt::format("      '{}') compadd -- {} ;;\n", command.path, fmt::join(command.commands, " "));
      continue;
    }
    std::string arguments;
    for (const OptionEntry &option : command.options) {
      std::string description = quoted(option.description, "'\\''");
      // Brackets end the description of _arguments, colons its fields.
      for (size_t at = 0; (at = description.find_first_of("[]:", at)) != std::string::npos; at += 2)
        description.insert(at, "\\");
      for (const std::string &name : option.names)
        arguments += fmt::format(" \\\n        '{}[{}]{}'",
                                 option.value != Value::None && name.starts_with("--") ? name + "=" : name,
                                 description, zshAction(option));
    }
    cases +=
        fmt::format("      '{}') _arguments{} \\\n        '*:argument:{}' ;;\n", command.path, arguments,
                    command.words.empty() ? "_files" : fmt::format("({})", fmt::join(command.words, " ")));
  }
  return fmt::format(R"zsh(#compdef algctl
# zsh completion for algctl: put it into a folder of $fpath as _algctl
_algctl() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
  else
    local command="$words[2]"
    shift words
    (( CURRENT-- ))
    case "$command" in
      {})
        if (( CURRENT > 2 )); then
          command="$command $words[2]"
          shift words
          (( CURRENT-- ))
        fi ;;
    esac
    case "$command" in
{}    esac
  fi
}}
compdef _algctl algctl
)zsh",
                     names, nested, cases);
}

// What fish does behind an option: -r has a value, -f are no files, -x is both.
std::string fishAction(const OptionEntry &option) {
  switch (option.value) {
  case Value::None:
    return "";
  case Value::Other:
    return " -x";
  case Value::File:
    return " -r -F";
  case Value::Words:
    return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
  case Value::List:
    return fmt::format(" -x -a '(__fish_append , {})'", fmt::join(option.words, " "));
  }
  return "";
}

std::string fishScript(const std::vector<CommandEntry> &commands) {
  std::string script = "# fish completion for algctl: put it into ~/.config/fish/completions/algctl.fish\n";
  for (const CommandEntry &command : commands) {
    std::string seen = "__fish_seen_subcommand_from " + command.name();
    if (isOutermost(command)) {
      script += fmt::format("complete -c algctl -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name(),
                            quoted(command.description, "\\'"));
    } else {
      const std::string outer = command.path.substr(0, command.path.rfind(' '));
      script += fmt::format("complete -c algctl -n '__fish_seen_subcommand_from {}' -f -a {} -d '{}'\n",
                            outer, command.name(), quoted(command.description, "\\'"));
      seen = fmt::format("__fish_seen_subcommand_from {}; and {}", outer, seen);
    }
    if (!command.words.empty())
      script += fmt::format("complete -c algctl -n '{}' -f -a '{}'\n", seen, fmt::join(command.words, " "));
    for (const OptionEntry &option : command.options) {
      script += fmt::format("complete -c algctl -n '{}'", seen);
      for (const std::string &name : option.names) {
        if (name.starts_with("--"))
          script += " -l " + name.substr(2);
        else
          script += " -s " + name.substr(1);
      }
      script += fmt::format("{} -d '{}'\n", fishAction(option), quoted(option.description, "\\'"));
    }
  }
  return script;
}

} // namespace

void addCompletion(CLI::App &app, Session &session) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(shellNames()))
      ->type_name("");
  command->footer(R"help(Examples:
  source <(algctl completion bash)
  algctl completion zsh > ~/.zfunc/_algctl
  algctl completion fish > ~/.config/fish/completions/algctl.fish)help");
  command->callback([&session, &app, shell] {
    session.run = [&app, shell] {
      std::vector<CommandEntry> commands;
      readTree(app, "", commands);
      writeOutput(*shell == "bash"  ? bashScript(commands)
                  : *shell == "zsh" ? zshScript(commands)
                                    : fishScript(commands));
      return ExitCode::Done;
    };
  });
}

} // namespace compiler
