# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      class Tree
        include Behavior

        identifier! :supervises, :supervise

        configuration do |options|
          supervised = options[:supervise] || options[:supervises]
          unless supervised.is_a?(Array) || supervised.is_a?(Configuration)
            raise ArgumentError, "No actors given to Tree to supervise."
          end
          supervised.is_a?(Array) ? below(options, supervised) : options
        end
      end
    end

    # The supervisors that each actor system has.
    module Service
      class Root < Container
        def self.define
          super(supervise: Celluloid.actor_system.root_configuration, as: :root_supervisor,
                branch: :root, type: self)
        end

        def self.deploy(instances)
          super(supervise: instances, branch: :root, as: :root, type: self)
        end
      end

      # Supervisor of the program's own actors.
      class Public < Container; end
    end
  end

  class Actor
    class System
      ROOT_SERVICES = [
        {as: :notifications_fanout, type: Notifications::Fanout},
        {as: :public_services, type: Supervision::Service::Public, accessors: [:services],
         supervise: []}
      ].freeze
    end
  end
end
