# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Raffia's process-wide state of actors, schedulers and forks: each world has its own, so no
      # run meets threads or memos of an earlier one. Configuration stays shared; objects that hold
      # it beside other state are copied for each world.
      #
      # @api private
      module RactorLocalMethods
        KEYS = %i[raffia_actor_background raffia_actor_checked raffia_actor_connection_pool
          raffia_actor_connections raffia_actor_forked raffia_actor_groups raffia_actor_ids
          raffia_actor_interfaces raffia_actor_node raffia_actor_registry raffia_actor_threads
          raffia_actor_topics raffia_after_fork raffia_celluloid_ids raffia_celluloid_threads
          raffia_heartbeats raffia_schedulers raffia_start_cost].to_h { |key| [key, true] }.freeze
        COPIED = {raffia_celluloid: true}.freeze
        private_constant :KEYS, :COPIED

        def fetch(key, &)
          world = World.current
          return super unless world
          return world.ractor_locals[key] ||= world.outside { super }.dup if COPIED.key?(key)
          return super unless KEYS.key?(key)

          world.ractor_locals[key] ||= world.thread_scheduler.uninterrupted(&)
        end
      end
    end
  end
end
