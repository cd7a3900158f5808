# frozen_string_literal: true

require "stringio"

module Raffia
  module CLI
    class Completion < Command
      # A flag of a command, as its help lists it.
      #
      # spellings:: "-p" and "--port", or "--yjit" and "--no-yjit"
      # argument:: placeholder of its value, such as "PORT" or "auto|fibers|threads"; "" without one
      # description:: its first line
      #
      # @api private
      Flag = Data.define(:spellings, :argument, :description) do
        # Help pages are made from a command's settings and parser, so nothing is missing in them.
        def self.all(command)
          page = StringIO.new
          CLI.command(command).call(%w[--help], out: page, err: page)
          lines = page.string.lines(chomp: true)
          [*lines, ""].each_cons(2).filter_map { |line, following| parse(line, following) }
        end

        # A long flag has its description on the following line.
        def self.parse(line, following)
          match = line.match(/\A +(?:(-\w), )?--(\[no-\])?([\w-]+)(\S*(?: \S+)?)(?: {2,}(.*))?\z/)
          return unless match

          short, negatable, name, argument, description = match.captures
          new([*short, "--#{name}", *("--no-#{name}" if negatable)], argument.delete("[]= "),
            description || following.strip)
        end
        private_class_method :parse

        def argument? = !argument.empty?

        # Values to choose from; empty when any will do.
        def choices
          argument.include?("|") ? argument.split("|").grep_v(/\A[A-Z]/) : []
        end
      end
    end
  end
end
