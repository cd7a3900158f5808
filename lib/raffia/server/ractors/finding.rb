# frozen_string_literal: true

module Raffia
  class Server
    module Ractors
      # An obstacle to serving from Ractors:
      #
      # path:: from the application to it: "run > MyApp@log > Logger@logdev"
      # why:: a clause
      # remedy:: a sentence
      #
      # @api private
      Finding = Data.define(:path, :why, :remedy) do
        def to_s = "#{path} #{why}. #{remedy}"
      end
    end
  end
end
