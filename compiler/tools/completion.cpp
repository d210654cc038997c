// algctl completion: scripts for shells, generated from the tree of commands.
#include "compiler/tools/commands.h"

#include "compiler/tools/output_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace compiler {
namespace {

struct OptionEntry {
  std::vector<std::string> names; // with dashes
  std::string description;
  bool takes_value = false;
};

struct CommandEntry {
  std::string name, description;
  std::vector<OptionEntry> options;
};

std::vector<CommandEntry> readTree(const CLI::App &app) {
  std::vector<CommandEntry> commands;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
    CommandEntry entry{command->get_name(), command->get_description(), {}};
    for (const CLI::Option *option : command->get_options()) {
      OptionEntry words{{}, option->get_description(), option->get_items_expected_max() > 0};
      for (const std::string &name : option->get_snames())
        words.names.push_back("-" + name);
      for (const std::string &name : option->get_lnames())
        words.names.push_back("--" + name);
      if (!words.names.empty())
        entry.options.push_back(std::move(words));
    }
    commands.push_back(std::move(entry));
  }
  return commands;
}

// Inside single quotes of a shell.
std::string quoted(std::string text, const char *escaped_quote) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos;
       at += std::string(escaped_quote).size())
    text.replace(at, 1, escaped_quote);
  return text;
}

std::string bashScript(const std::vector<CommandEntry> &commands) {
  std::string names, cases;
  for (const CommandEntry &command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string words;
    for (const OptionEntry &option : command.options)
      words += fmt::format("{}{}", words.empty() ? "" : " ", fmt::join(option.names, " "));
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, words);
  }
  return fmt::format(
      R"bash(# bash completion for algctl: source it, or put it into ~/.local/share/bash-completion/completions/algctl
_algctl() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
    completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$current")); return ;;
{}  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _algctl algctl
)bash",
      names, cases);
}

std::string zshScript(const std::vector<CommandEntry> &commands) {
  std::string names, cases;
  for (const CommandEntry &command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, quoted(command.description, "'\\''"));
    std::string arguments;
    for (const OptionEntry &option : command.options) {
      std::string description = quoted(option.description, "'\\''");
      // Brackets end the description of _arguments, colons its fields.
      for (std::size_t at = 0; (at = description.find_first_of("[]:", at)) != std::string::npos; at += 2)
        description.insert(at, "\\");
      for (const std::string &name : option.names)
        arguments += fmt::format(" \\\n        '{}[{}]{}'", name, description,
                                 option.takes_value ? ":value:_files" : "");
    }
    cases += fmt::format("      {}) _arguments{} \\\n        '*:file:_files' ;;\n", command.name, arguments);
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
{}    esac
  fi
}}
compdef _algctl algctl
)zsh",
                     names, cases);
}

std::string fishScript(const std::vector<CommandEntry> &commands) {
  std::string script = "# fish completion for algctl: put it into ~/.config/fish/completions/algctl.fish\n";
  for (const CommandEntry &command : commands) {
    script += fmt::format("complete -c algctl -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                          quoted(command.description, "\\'"));
    for (const OptionEntry &option : command.options) {
      script += fmt::format("complete -c algctl -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string &name : option.names) {
        if (name.starts_with("--"))
          script += " -l " + name.substr(2);
        else
          script += " -s " + name.substr(1);
      }
      script +=
          fmt::format("{} -d '{}'\n", option.takes_value ? " -r" : "", quoted(option.description, "\\'"));
    }
  }
  script += "complete -c algctl -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return script;
}

} // namespace

void addCompletion(CLI::App &app, Session &session) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  command->footer(R"help(Examples:
  source <(algctl completion bash)
  algctl completion zsh > ~/.zfunc/_algctl
  algctl completion fish > ~/.config/fish/completions/algctl.fish)help");
  command->callback([&session, &app, shell] {
    session.run = [&app, shell] {
      std::vector<CommandEntry> commands = readTree(app);
      writeOutput("", *shell == "bash"  ? bashScript(commands)
                      : *shell == "zsh" ? zshScript(commands)
                                        : fishScript(commands));
      return kDone;
    };
  });
}

} // namespace compiler
