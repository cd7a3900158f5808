# frozen_string_literal: true

require_relative "../base/signals"
require_relative "../process/supervisor"
require_relative "role"

module Raffia
  module Service
    # Runs a service in worker processes of one or more roles, under one supervisor. Slots follow
    # the order of the roles; added slots get the last role.
    #
    # @api private
    class Cluster
      attr_reader :supervisor

      # `preload`: load roles once for all workers. `hooks` and `settings` are the supervisor's.
      def initialize(roles, preload: true, hooks: {}, **settings)
        @roles = roles
        @firsts = roles.each_index.map { |number| roles.first(number).sum(&:processes) }
        @supervisor = Process::Supervisor.new(workers: roles.sum(&:processes),
          drain_timeout: roles.filter_map(&:drain_timeout).max, slot: method(:sockets),
          behind: ->(slot, row) { @roles[role(slot)].behind?(slot, row) },
          preload: (method(:load) if preload),
          hooks: {**hooks, on_message: ->(_, name, data) { receive(name, data) }}, **settings,
          &method(:work))
        roles.each { |role| role.supervised_by(@supervisor) }
      end

      # See {Process::Supervisor#status}.
      def status = @supervisor.status || {state: :booting, workers: 0, ready: 0, slots: []}

      # Returns the exit status. Yields when signals are handled.
      def run(&)
        signals = @roles.map(&:signals).reduce(:merge)
        Signals.with(chain: false, **signals) { @supervisor.run(&) }
      end

      private

      # Number of the role that has this slot.
      def role(index) = @firsts.rindex { |first| first <= index }

      def sockets(index)
        number = role(index)
        @roles[number].sockets(index - @firsts[number])
      end

      def load = @roles.map(&:load)

      def work(context)
        loaded = context.preloaded || load
        number = role(context.index)
        @roles[number].work(context, loaded[number])
      end

      def receive(name, data) = @roles.each { |role| role.receive(name, data) }
    end
  end
end
