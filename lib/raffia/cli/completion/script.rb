# frozen_string_literal: true

require_relative "flag"

module Raffia
  module CLI
    class Completion < Command
      # Completion scripts of all commands, for each shell.
      #
      # @api private
      class Script
        def initialize
          @flags = COMMANDS.to_h { |name| [name, Flag.all(name)] }
        end

        # Where no word fits, bash completes files.
        def bash
          <<~TEXT
            # Completion of raffia for bash.
            _raffia() {
              local words="" command="${COMP_WORDS[1]}" before="${COMP_WORDS[COMP_CWORD - 1]}"
              if [ "$COMP_CWORD" -eq 1 ]; then
                words="#{COMMANDS.join(" ")}"
              else
                case "$command $before" in
            #{each_flag { |name, flag| bash_values(name, flag) }}
                *) case "$command" in
            #{COMMANDS.map { |name| "      #{name}) words=\"#{spellings(name)}\" ;;" }.join("\n")}
                  esac ;;
                esac
              fi
              COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -o default -F _raffia raffia
          TEXT
        end

        def zsh
          <<~TEXT
            #compdef raffia
            # Completion of raffia for zsh.
            local -a commands=(
            #{COMMANDS.map { |name| "  #{quote("#{name}:#{summary(name)}")}" }.join("\n")}
            )
            if (( CURRENT == 2 )); then
              _describe command commands
              return
            fi
            shift words
            (( CURRENT-- ))
            case ${words[1]} in
            #{COMMANDS.map { |name| zsh_command(name) }.join("\n")}
            esac
          TEXT
        end

        def fish
          commands = COMMANDS.map do |name|
            "complete -c raffia -n __fish_use_subcommand -a #{name} -d #{quote(summary(name))}"
          end
          ["# Completion of raffia for fish.", *commands,
            each_flag { |name, flag| fish_flag(name, flag) }].join("\n")
        end

        private

        def summary(name) = CLI.command(name).summary

        def spellings(name) = @flags[name].flat_map(&:spellings).join(" ")

        def quote(text) = "'#{text.gsub("'") { "'\\''" }}'"

        def each_flag
          @flags.flat_map { |name, flags| flags.filter_map { |flag| yield name, flag } }.join("\n")
        end

        def bash_values(name, flag)
          return unless flag.argument?

          pattern = flag.spellings.map { |spelling| "\"#{name} #{spelling}\"" }.join(" | ")
          "    #{pattern}) words=\"#{flag.choices.join(" ")}\" ;;"
        end

        def zsh_command(name)
          flags = @flags[name].flat_map do |flag|
            flag.spellings.map { |spelling| zsh_flag(spelling, flag) }
          end
          ["  #{name}) _arguments", *flags, "'*:file:_files' ;;"].join(" \\\n    ")
        end

        def zsh_flag(spelling, flag)
          description = flag.description.gsub(/[\[\]:]/) { |char| "\\#{char}" }
          values = flag.choices.empty? ? "_files" : "(#{flag.choices.join(" ")})"
          quote("*#{spelling}[#{description}]#{":value:#{values}" if flag.argument?}")
        end

        def fish_flag(name, flag)
          value = flag.choices.empty? ? "-r" : "-x -a #{quote(flag.choices.join(" "))}"
          flag.spellings.map do |spelling|
            kind = spelling.start_with?("--") ? "-l" : "-s"
            ["complete -c raffia -n '__fish_seen_subcommand_from #{name}'",
              "#{kind} #{spelling.delete_prefix("--").delete_prefix("-")}",
              *(value if flag.argument?), "-d #{quote(flag.description)}"].join(" ")
          end.join("\n")
        end
      end
    end
  end
end
