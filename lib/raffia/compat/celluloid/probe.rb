# frozen_string_literal: true

module Celluloid
  # Publishes the lifecycle of actors as "celluloid.events.NAME", if monitoring is enabled.
  class Probe
    include Celluloid
    include Notifications

    NOTIFICATIONS_TOPIC_BASE = "celluloid.events.%s"
    EVENTS_BUFFER = ::Thread::Queue.new

    class << self
      def run
        supervise(as: :probe_actor) unless Celluloid[:probe_actor]&.alive?
      end

      def run_without_supervision = Celluloid[:probe_actor] = new

      %i[actor_created actor_named actor_died actors_linked].each do |event|
        define_method(event) { |*cells| buffer_event(event, cells) if $CELLULOID_MONITORING }
      end

      private

      def buffer_event(event, cells)
        EVENTS_BUFFER << [event, cells]
        cells.first.system[:probe_actor]&.async(:process_queue)
      end
    end

    def initialize
      async.process_queue
    end

    def process_queue
      dispatch_event(*EVENTS_BUFFER.pop) until EVENTS_BUFFER.empty?
    end

    def dispatch_event(event, cells) = publish(format(NOTIFICATIONS_TOPIC_BASE, event), cells)
  end
end
