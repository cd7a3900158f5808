# frozen_string_literal: true

require "socket"
require_relative "experiment"

module Raffia
  module Lab
    # Three sockets that answer after 3, 2 and 5 seconds: 10 s in sequence, 5 s at best.
    class IoWait < Experiment
      WAITS = [3.0, 2.0, 5.0].freeze

      # Returns the answer of the slow server, which comes after so many seconds.
      def self.ask(seconds, port)
        socket = TCPSocket.new("127.0.0.1", port)
        socket.write("#{seconds}\n")
        Float(socket.gets)
      ensure
        socket&.close
      end

      def name = "io_wait"

      def title = "three sockets that answer late: the longest wait, not the sum"

      def workers(variant, _cores) = (variant == :inline) ? [1] : [WAITS.size]

      def params(scale) = {waits: WAITS.map { |seconds| (seconds * scale).round(4) }}

      def size(params)
        "answers after #{params[:waits].map { |seconds| format("%g", seconds) }.join(", ")} s"
      end

      def service = :slow_server

      def cpu_bound? = false

      def warm_up(setting) = Control.map(setting, [0.0, 0.0], work(setting))

      def perform(setting) = {answers: Control.map(setting, setting.params[:waits], work(setting))}

      def verify(params, facts, report)
        {
          "each answer is the one that was asked for" => facts[:answers] == params[:waits],
          "answers counted by the server" => report[:served] == params[:waits].size
        }
      end

      def goals(rows)
        longest = rows.params[:waits].max
        %i[fibers threads].map do |variant|
          median = rows.median(variant, 3)
          Goal.at_most("#{variant} within 3% of the longest wait", median && median / longest, 1.03)
        end
      end

      private

      def work(setting) = Work.new(IoWait, :ask, [setting.service.fetch(:port)])
    end
  end
end
