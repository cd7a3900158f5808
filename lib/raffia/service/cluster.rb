# frozen_string_literal: true

require_relative "../base/signals"
require_relative "../process/supervisor"
require_relative "role"

module Raffia
  module Service
    # Runs a service in worker processes, of one role or several, under one supervisor. Slots are in
    # the order of the roles; those that are added later belong to the last one.
    #
    # @api private
    class Cluster
      # @param preload [Boolean] whether roles are loaded for all workers, rather than in each
      # @param hooks [Hash{Symbol => #call}] see {Process::Supervisor::HOOKS}
      # @param settings [Hash] see {Process::Supervisor::Settings}
      def initialize(roles, preload: true, hooks: {}, **settings)
        @roles = roles
        @firsts = roles.each_index.map { |number| roles.first(number).sum(&:processes) }
        @supervisor = Process::Supervisor.new(workers: roles.sum(&:processes),
          drain_timeout: roles.filter_map(&:drain_timeout).max, slot: method(:sockets),
          preload: (method(:load) if preload),
          hooks: {**hooks, on_message: ->(_, name, data) { receive(name, data) }}, **settings,
          &method(:work))
        roles.each { |role| role.supervised_by(@supervisor) }
      end

      # @return [Hash] see {Process::Supervisor#status}
      def status = @supervisor.status || {state: :booting, workers: 0, ready: 0, slots: []}

      # @return [Integer] exit status
      # @yield when signals are understood
      def run(&)
        signals = @roles.map(&:signals).reduce(:merge)
        Signals.with(chain: false, **signals) { @supervisor.run(&) }
      end

      private

      # @param index [Integer] of a slot
      # @return [Integer] number of its role
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
