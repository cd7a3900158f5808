# frozen_string_literal: true

# Runs a server under clients of all kinds while its workers are killed, replaced, added and taken
# away, connections move, and new servers take over: each request is answered but those of killed
# workers. `rake test:server_failures`
#
#   MINUTES=30   how long
#   SEED=1       of the order of disturbances

require "test_helper"
require_relative "clients"
require_relative "kills"
require_relative "server_failures_case"

module Raffia
  class ServerFailuresTest < ServerFailuresCase
    SECONDS = Float(ENV.fetch("MINUTES", "30")) * 60
    SEED = Integer(ENV.fetch("SEED") { Random.rand(1 << 30) })
    # A worker that dies sooner, again and again, has growing pauses.
    AGE = 1.5
    EVENTS = %i[restart restart take_over take_over break_take_over grow shrink].freeze

    def test_failed_requests_are_those_of_killed_workers
      start_server
      before = quiet
      take_over
      disturb
      assert_equal ServerFailures::Clients::KINDS.keys.sort, @clients.totals.keys.sort
      assert_empty @clients.strange
      assert_empty @unexcused
      assert_equal before, quiet
      server.kill(:TERM)
      assert_equal 0, server.ended.exitstatus, server.err
      wait_until(PROCESS_PATIENCE) { processes.empty? }
    end

    private

    def disturb
      @kills = ServerFailures::Kills.new(@ports.values)
      @clients = ServerFailures::Clients.new(@ports, SEED)
      @done = Hash.new(0)
      random = Random.new(SEED)
      finish = TestSupport.now + SECONDS
      killer = Thread.new { kill_workers(finish, Random.new(SEED + 1)) }
      while TestSupport.now < finish && @clients.run?
        sleep(random.rand * 3)
        name = EVENTS.sample(random:)
        arguments = (name == :break_take_over) ? [@kills, random.rand * 2] : []
        @done[__send__(name, *arguments) ? name : :"no #{name}"] += 1
      end
      killer.join
    ensure
      @clients&.stop
      print_figures if @clients
    end

    def kill_workers(finish, random)
      while TestSupport.now < finish
        sleep(random.rand * 5)
        old = workers.select { |pid| age(pid) > AGE }
        @kills.kill(old.sample(random:)) unless old.empty?
      end
    end

    def print_figures
      excused, @unexcused = @clients.failed.partition { |failed| @kills.excuse?(failed) }
      kinds = @clients.totals.keys | @clients.failed.map { |failed| failed[:kind] }
      puts "\n#{(SECONDS / 60).round(1)} minutes, SEED=#{SEED}: #{@kills.kills.size} workers " \
        "killed with #{@kills.kills.sum { |kill| kill.ports.size }} connections, #{@done}; " \
        "#{@kills.own_queues} servers with queues of their own, and " \
        "#{@kills.in_own_queues} connections there"
      kinds.each do |kind|
        puts "#{kind}: #{@clients.totals[kind]}, failed with killed workers: " \
          "#{excused.count { |failed| failed[:kind] == kind }}, failed otherwise: " \
          "#{@unexcused.count { |failed| failed[:kind] == kind }}"
      end
      @unexcused.each { |failed| puts failed, "  before it: #{@kills.last_before(failed)}" }
      puts server.err.lines.last(200) if @unexcused.any?
    end
  end
end
