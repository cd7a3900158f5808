# frozen_string_literal: true

module Raffia
  module Service
    # One kind of worker process: how many there are, what they load, how one of them lives.
    # (A Procfile calls it a process type.) Subclasses say what differs from the defaults.
    #
    # @api private
    class Role
      # @return [Integer] worker processes at the start
      def processes = 1

      # @return [Numeric, nil] seconds that a worker has to end
      def drain_timeout = nil

      # @param _number [Integer] of the worker in its role
      # @return [Array<IO>] resources of its slot, kept by the supervisor
      def sockets(_number) = []

      # @param _supervisor [Process::Supervisor] before it runs
      def supervised_by(_supervisor) = nil

      # @return [Hash{Symbol => #call}] further signals of the supervisor's process
      def signals = {}

      # Loads what workers need, once for each generation.
      # @return [Object, nil] is handed to {#work}
      def load = nil

      # The life of a worker process.
      # @return [void] when it is to end
      def work(context, loaded) = raise(NotImplementedError)

      # A worker of any role has sent a message to the supervisor.
      def receive(_name, _data) = nil
    end
  end
end
