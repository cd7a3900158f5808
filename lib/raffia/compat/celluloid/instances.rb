# frozen_string_literal: true

module Celluloid
  # Instance methods of actors' classes, beyond {Celluloid} itself.
  module InstanceMethods
    # The object behind the actor. Whoever uses it from outside leaves the actor's protection.
    def bare_object = self
    alias_method :wrapped_object, :bare_object

    # Whether this is used outside of its actor.
    def leaked? = !instance_variable_get(OWNER_IVAR).equal?(::Thread.current[:celluloid_actor])

    def tap
      yield current_actor
      current_actor
    end

    def registered_name = Actor.registered_name
    alias_method :name, :registered_name

    def inspect
      return "..." if Celluloid.detect_recursion

      variables = (instance_variables - [OWNER_IVAR]).map do |name|
        " #{name}=#{instance_variable_get(name).inspect}"
      end
      label = leaked? ? BARE_OBJECT_WARNING_MESSAGE : "Celluloid::Proxy::Cell"
      "#<#{label}(#{self.class}:0x#{object_id.to_s(16)})#{variables.join}>"
    end
  end
end
