# frozen_string_literal: true

module Celluloid
  # Actors that replace those that failed.
  module Supervision
    INSTANCE_RETRY_WAIT = 3
    INSTANCE_RETRY_LIMIT = 5

    module Error
      class NoPublicService < Celluloid::Error; end
    end

    # Celluloid 0.16 had an actor's class and the arguments of `initialize` as arguments; since 0.17
    # all is in one Hash.
    def self.config(type, config = {}, *more)
      if config.is_a?(Hash) && more.empty?
        {**config, type: type}
      else
        {type: type, args: [config, *more]}
      end
    end
  end
end

require_relative "supervision/parameters"
require_relative "supervision/configuration"
require_relative "supervision/instance"
require_relative "supervision/behavior"
require_relative "supervision/backoff"
require_relative "supervision/member"
require_relative "supervision/definition"
require_relative "supervision/container"
require_relative "supervision/service"

module Celluloid
  class << self
    def services
      actor_system[:public_services] ||
        raise(Supervision::Error::NoPublicService, "the services of this actor system do not run")
    end

    # Supervises an actor: `type:`, `as:`, `args:`; and `max_restarts:` within `period:` seconds.
    def supervise(config = {}, &block) = services.supervise(config, &block)
  end

  module ClassMethods
    def supervise(config = {}, *more, &block)
      Celluloid.supervise(Supervision.config(self, config, *more), &block)
    end

    def supervise_as(name, *arguments, &block)
      Celluloid.supervise({type: self, as: name, args: arguments}, &block)
    end
  end
end
