# frozen_string_literal: true

require_relative "../options"

module Raffia
  module CLI
    class Jobs < Command
      # An option of `raffia jobs`.
      #
      # spellings:: as for OptionParser
      # texts:: what it does, by the subcommands that take it (nil: all do)
      # value:: what is done with its value: nil (kept), :add (to an Array), :count, :seconds
      #
      # @api private
      Flag = Data.define(:spellings, :texts, :value) do
        # subcommand: whose help is made; nil: that of all.
        def define(parser, subcommand, options)
          parser.on(*spellings, *lines(subcommand)) { |text| assign(options, text) }
        end

        def for?(subcommand) = texts.any? { |names, _| names.nil? || names.include?(subcommand) }

        def name = long[/[a-z][a-z-]+/].tr("-", "_").to_sym

        # How it is written, without its value.
        def long = spellings.last[/\A\S+/]

        private

        def lines(subcommand)
          chosen = texts.filter_map do |names, text|
            next (prefix?(names) ? prefix(names, text) : text) unless subcommand

            text if names.nil? || names.include?(subcommand)
          end
          chosen.join("; ").scan(/\S.{0,42}(?=\s|\z)/)
        end

        # Filters have too many subcommands to be listed.
        def prefix?(names) = names && names.size < 4

        def prefix(names, text) = "#{names.join(", ")}: #{text}"

        def assign(options, text)
          case value
          when :add then (options[name] ||= []) << text
          when :count then options[name] = Options.count(text, least: 0)
          when :seconds then options[name] = Options.seconds(text)
          else options[name] = text
          end
        end
      end
    end
  end
end
