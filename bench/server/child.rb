# frozen_string_literal: true

# The process of one run: one target, one workload, one sample, which it prints as JSON. Started by
# the campaign:
#
#     ruby -Ilib bench/server/child.rb TARGET WORKLOAD SCALE [count]

require "json"
require_relative "../harness/meter"
require_relative "h2load"
require_relative "load"
require_relative "plan"
require_relative "process"
require_relative "targets"

module ServerBench
  # See above.
  class Child
    # @param count [Boolean] count system calls, too
    def initialize(server, plan, count:)
      @server = server
      @plan = plan
      @meter = Bench::Meter.new(pid: server.pid, count:, descendants: true)
      @pss = {}
      @allocated = {}
    end

    # @return [Hash] the sample
    def sample(scale)
      found = @plan.load_for(@server, scale).follow { |word| mark(word) }
      {**closed(found), **arrivals(found[:open]), reconnects: found[:reconnects]}
    end

    private

    # The cost of /stats itself is outside of the marks.
    def mark(word)
      @pss[word] = @meter.pss if %i[idle parked end].include?(word)
      @allocated[word] = @server.allocated if word == :begin
      @meter.mark(word)
      @allocated[word] = @server.allocated if word == :end
    end

    def closed(found)
      run = found[:closed]
      if run[:requests].zero?
        raise Bench::Wrong, "none of #{run[:unanswered]} requests was answered"
      end

      @meter.operations = run[:requests]
      measured = {rate: run[:requests] / run[:wall], wall: run[:wall], load: run[:cpu] / run[:wall],
                  unanswered: run[:unanswered]}
      @meter.sample.merge(measured, microseconds(run), memory,
        {allocations: allocations(run[:requests])})
    end

    def arrivals(run)
      return {} unless run

      @meter.operations = run[:requests]
      measured = {open_rate: run[:requests] / run[:wall],
                  open_cpu_us: @meter.sample(:open, :close)[:cpu_us]}
      measured.merge(microseconds(run), {open_unanswered: run[:unanswered]})
    end

    def microseconds(run)
      return {} unless run[:p50] # h2load does not tell

      {p50_us: run[:p50] * 1e6, p99_us: run[:p99] * 1e6, p999_us: run[:p999] * 1e6}
    end

    # The first look at /stats is part of the difference.
    def allocations(requests)
      first, last = @allocated.values_at(:begin, :end)
      (last - first).fdiv(requests) if first && last
    end

    def memory
      each = @pss[:parked] && (@pss[:parked] - @pss[:idle]) / 1024.0 / @plan.connections
      {pss_mib: @pss[:end] / 1024.0**2, kib: each}
    end
  end
end

target, workload, scale, count = ARGV
plan = ServerBench::Plans::ALL.fetch(workload)
setup = ServerBench::Targets::ALL.fetch(target).open.call
setup = setup.http2 || setup if plan.http2?
ServerBench::ServerProcess.open(setup) do |server|
  puts JSON.generate(ServerBench::Child.new(server, plan, count: !count.nil?).sample(Float(scale)))
end
