# frozen_string_literal: true

require_relative "../../base/config"

module Raffia
  class Actor
    class IntrospectionSocket
      # Variables of introspection. Not a constant of {Actor}: its subclasses are the user's.
      #
      # | variable        | values                                          | default |
      # |-----------------|-------------------------------------------------|---------|
      # | RAFFIA_TOP      | on (its actors are shown to `raffia top`), off  | off     |
      # | XDG_RUNTIME_DIR | where such sockets are; by the system  | a folder for temporary files |
      #
      # @!attribute [r] top
      #   @return [Symbol] :on or :off
      # @!attribute [r] runtime_dir
      #   @return [String, nil] the user's own folder for sockets
      Config = ::Data.define(:top, :runtime_dir) do
        # @return [Config]
        # @raise [ConfigError]
        def self.load(variables = Raffia::Config.variables)
          new(top: variables.choice("RAFFIA_TOP", %i[on off], :off),
            runtime_dir: variables.string("XDG_RUNTIME_DIR"))
        end
      end
    end
  end
end
