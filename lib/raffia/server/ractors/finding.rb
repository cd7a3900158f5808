# frozen_string_literal: true

module Raffia
  class Server
    module Ractors
      # One thing that keeps an application out of Ractors.
      #
      # path:: how one gets there from the application: "run > MyApp@log > Logger@logdev"
      # why:: what is wrong with it
      # remedy:: what to do about it
      Finding = Data.define(:path, :why, :remedy) do
        # @return [String] a sentence or two
        def to_s = "#{path} #{why}. #{remedy}"
      end
    end
  end
end
