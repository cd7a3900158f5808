# frozen_string_literal: true

require "json"
require "zlib"

module Raffia
  module Jobs
    class Worker
      # Backtraces in Sidekiq's format: lines as JSON, deflated, in base 64.
      module Backtrace
        module_function

        # @param lines [Array<String>]
        # @return [String]
        def dump(lines) = [Zlib::Deflate.deflate(JSON.generate(lines.map(&:scrub)))].pack("m0")

        # @param text [String, Array<String>, nil] of any version of Sidekiq
        # @return [Array<String>, nil] nil when it is none
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
