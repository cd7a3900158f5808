# frozen_string_literal: true

module Raffia
  module Service
    # One kind of worker process (a Procfile's process type): how many there are, what they load,
    # what one of them does. Subclasses override the defaults.
    #
    # @api private
    class Role
      def processes = 1

      # Seconds for a worker to end, or nil.
      def drain_timeout = nil

      # Resources of a slot, by its number in this role. The supervisor keeps them open.
      def sockets(_number) = []

      # Called before the supervisor runs.
      def supervised_by(_supervisor) = nil

      # Whether a slot's worker is too busy for new connections; asked in the supervisor.
      def behind?(_slot, _row) = false

      # Further signals of the supervisor's process.
      def signals = {}

      # Loads what {#work} needs, once per generation.
      def load = nil

      # Runs in a worker process until it has to end.
      def work(context, loaded) = raise(NotImplementedError)

      # Gets the messages that workers of all roles send to the supervisor.
      def receive(_name, _data) = nil
    end
  end
end
