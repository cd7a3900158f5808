# frozen_string_literal: true

require_relative "../../executor/ractors/portable_block"
require_relative "plain_data"

module Raffia
  class Server
    module Ractors
      # Makes blocks of gems shareable in place: those of define_method, and those in tables.
      # Captured plain data is frozen first.
      #
      # @api private
      module BlockSharing
        # @param block [Proc]
        def self.share(block)
          tried = []
          begin
            ::Ractor.make_shareable(block)
            true
          rescue ::Ractor::IsolationError, ::ArgumentError => error
            name = Executor::Ractors::PortableBlock.refusal(block, error).variable
            fresh = name && !tried.include?(name)
            tried << name
            (fresh && freeze_captured(block, name)) ? retry : false
          end
        end

        def self.freeze_captured(block, name)
          value = block.binding.local_variable_get(name)
          return false if ::Ractor.shareable?(value) || !PlainData.all?(value)

          ::Ractor.make_shareable(value)
          true
        rescue ::NameError, ::ArgumentError, ::Ractor::Error
          false # it is no variable, or is assigned to
        end
        private_class_method :freeze_captured
      end
    end
  end
end
