# frozen_string_literal: true

module Celluloid
  module Supervision
    class Container
      # A pool of this container's.
      def pool(klass, config = {}, &block)
        admit { Configuration.options(Pool.pooling_options(config, block: block, actors: klass)) }
          .actor
      end
    end
  end

  module ClassMethods
    # Makes a pool of actors of this class, under supervision: calls of the pool go to those that
    # have nothing to do.
    # +config+: size:, args:, as.
    def pool(config = {}, &block) = Celluloid.services.pool(self, config, &block)

    # Makes a pool that is linked with the running actor instead.
    def pool_link(config = {}, &block)
      Supervision::Container::Pool.new_link({**config, actors: self, block: block}.compact)
    end
  end
end
