# frozen_string_literal: true

require "erb"

module Raffia
  module Jobs
    class Web
      # Text that is HTML already. Templates escape everything else.
      # @api private
      class Html
        attr_reader :to_s

        def initialize(text) = @to_s = text

        # Escapes text, also for attributes in double quotes.
        def self.escape(value)
          return value.to_s if value.is_a?(Html)

          text = value.to_s
          unless text.encoding == Encoding::UTF_8 || text.encoding == Encoding::BINARY
            text = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
          end
          text = text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
          ERB::Util.html_escape(text.scrub)
        end
      end

      # ERB that escapes the values of `<%= %>`, unless they are {Html}.
      # @api private
      class Template < ERB::Compiler
        FOLDER = File.join(__dir__, "views").freeze

        # Defines a method for each file: `view_NAME(one)`, which returns {Html}.
        def self.define(views)
          Dir[File.join(FOLDER, "*.erb")].each do |file|
            source = new.source(File.read(file, encoding: Encoding::UTF_8))
            # Line 0, so that backtraces have the template's line numbers.
            views.module_eval("def view_#{File.basename(file, ".erb")}(one = nil)\n#{source}\nend",
              file, 0) # standard:disable Style/EvalWithLocation
          end
        end

        def initialize
          super("-")
          self.pre_cmd = ["_out = +''"]
          self.put_cmd = self.insert_cmd = "_out.<<"
          self.post_cmd = ["Html.new(_out)"]
        end

        def source(text)
          compile(text).first.force_encoding(Encoding::UTF_8).sub(/\A#coding:.*$/, "")
        end

        def add_insert_cmd(out, content) = out.push("#{insert_cmd} Html.escape((#{content}))")
      end

      # All templates as methods.
      # @api private
      module Views
        Template.define(self)
      end
    end
  end
end
