# frozen_string_literal: true

require "json"
require "zlib"

module Raffia
  module Jobs
    class Worker
      # Backtraces in Sidekiq's format: lines as JSON, deflated, in base 64.
      # @api private
      module Backtrace
        module_function

        def dump(lines) = [Zlib::Deflate.deflate(JSON.generate(lines.map(&:scrub)))].pack("m0")

        # Reads those of any version of Sidekiq; nil for others.
        def load(text)
          return text unless text.is_a?(String)

          JSON.parse(Zlib::Inflate.inflate(text.unpack1("m")))
        rescue Zlib::Error, JSON::ParserError
          nil
        end
      end
    end
  end
end
