# frozen_string_literal: true

require_relative "../cli/cli_case"
require "raffia"
require "socket"
require "timeout"

# The stdlib's own timer thread starts with the first timeout and stays: not a leak of whatever test
# comes first.
Timeout.timeout(1) {}

module Raffia
  # Work in Ractors as programs have it: loops of their own, and ends without a waiter.
  class RactorWorkTest < CLICase
    CALLS = 50

    # Answers no call before CALLS calls are there, so a client that makes them in sequence waits
    # for ever.
    class Patient
      attr_reader :port

      def initialize
        @server = TCPServer.new("127.0.0.1", 0)
        @port = @server.addr[1]
        @there = 0
        @lock = Mutex.new
        @enough = ConditionVariable.new
        @accepting = Thread.new { loop { serve(@server.accept) } }
      end

      def serve(socket)
        Thread.new do
          path = socket.gets[/GET (\S+)/, 1]
          nil until socket.gets.chomp.empty?
          wait_for_the_others
          socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n#{path}")
          socket.close
        end
      end

      def wait_for_the_others
        @lock.synchronize do
          @there += 1
          @enough.broadcast if @there >= CALLS
          @enough.wait(@lock) while @there < CALLS
        end
      end

      def close
        @accepting.kill.join
        @server.close
      end
    end

    # The Ractors' work: a method of a module, like in a program.
    module Client
      def self.get(port, number)
        socket = TCPSocket.new("127.0.0.1", port)
        socket.write("GET /#{number} HTTP/1.1\r\nHost: here\r\n\r\n")
        socket.read.split("\r\n\r\n").last
      ensure
        socket&.close
      end
    end

    def test_each_ractor_waits_for_many_calls_at_once
      skip "needs the extension" unless Executor::Ractors::PortableBlock.available?
      server = Patient.new
      port = server.port
      assert_no_leaks do
        answers = Raffia.map((1..100).each_slice(CALLS).to_a, on: :ractors, workers: 2) do |numbers|
          Raffia.map(numbers, on: :fibers) { |number| Client.get(port, number) }
        end
        assert_equal((1..100).map { |number| "/#{number}" }, answers.flatten)
      end
    ensure
      server&.close
    end

    def test_a_loop_in_a_ractor_ends_with_its_item
      skip "needs the extension" unless Executor::Ractors::PortableBlock.available?
      assert_no_leaks do
        results = Raffia.map(1..6, on: :ractors, workers: 2) do |number|
          Raffia.run do |scope|
            Array.new(3) { |n| scope.spawn { sleep(0.001) && n * number } }.sum(&:value)
          end
        end
        assert_equal((1..6).map { |number| 3 * number }, results)
        error = assert_raises(TimeoutError) do
          Raffia.map([1], on: :ractors) { |_| Raffia.run { Raffia.timeout(0.01) { sleep } } }
        end
        assert_equal(0, error.item_index)
      end
    end

    # A Ractor that was given up works on without an owner; the process ends all the same.
    def test_the_process_ends_although_ractors_that_were_given_up_work_on
      ["loop {}", "sleep", "Ractor.receive", "IO.pipe.first.read"].each do |forever|
        name = script(<<~RUBY)
          require "raffia"
          begin
            Raffia.map([1, 2], on: :ractors, workers: 2, timeout: 0.1) { |_| #{forever} }
          rescue Raffia::TimeoutError => error
            puts error.class
          end
        RUBY
        ended = ruby(name)
        assert_equal(["Raffia::TimeoutError\n", "", 0], [ended.out, ended.err, ended.code], forever)
      end
    end

    def test_what_was_given_up_leaves_nothing_when_it_ends
      assert_no_leaks do
        assert_raises(TimeoutError) do
          Raffia.map([1, 2], on: :ractors, workers: 2, timeout: 0.05) do |_|
            sleep(0.3) || "x" * 300_000
          end
        end
        assert_equal(1, Raffia.each(1..3, on: :ractors, workers: 2) { |n| break n if n == 1 })
      end
    end
  end
end
