# frozen_string_literal: true

require_relative "preemption/scope"

module Raffia
  module Simulation
    # Events of one run, in order: starts, waits, wake-ups, switches, preemptions, timers,
    # interrupts, packets, notes. Only a replay of a failure is recorded, so other runs pay nothing.
    #
    # @api private
    class Trace
      # Nanoseconds, lane that acts, lane that is acted upon, file:line of the former, its frames,
      # text, and the number of choices before. Lanes are paths of threads and names of fibers.
      # Packets have the lane of their sender, and when it sent them.
      Event = Struct.new(:kind, :at, :lane, :other, :place, :frames, :text, :choices, :sender,
        :sent)

      # Earlier events of longer runs are left out.
      LIMIT = 20_000
      FRAMES = 12
      private_constant :LIMIT, :FRAMES

      # `lanes`: names by lane, in the order of their starts. `hosts`: names by lane.
      attr_reader :events, :lanes, :hosts, :error

      def initialize
        @events = []
        @lanes = {World::MAIN => World::MAIN}
        @hosts = {}
        @lane = World::MAIN
        @timer = false
        @error = @world = nil
      end

      # +subject+: the thread, the name of a fiber, or the timer that the event is about. +text+:
      # of notes and packets.
      def add(kind, subject, world, text = nil)
        return @timer = false if kind == :fired
        return if polls?(kind, subject)

        setup(world) unless @world
        case kind
        when :timer then timer(subject)
        when :switch, :preempt then switch(kind, lane(subject))
        when :packet, :drop then packet(kind, subject, text)
        when :start, :wake, :interrupt then record(kind, actor, lane(subject), text)
        when :end then record(kind, subject ? lane(subject) : @lane, nil)
        when :wait then record(kind, @lane, nil, text || reason(subject))
        else record(kind, @lane, nil, text)
        end
      end

      # The run is over.
      def close(world, error)
        setup(world) unless @world
        @error = error
        world.threads.each do |thread|
          @lanes[thread.path] = thread.label
          @hosts[thread.path] = thread.host&.then { |host| host_name(host) }
        end
        @lanes = @lanes.sort_by { |lane, _| order(lane) }.to_h
        @world = @scope = nil
      end

      # The text of the first event at or after this number of choices.
      def describe(choices)
        event = @events.find { |one| one.choices > choices } || @events.last or return "the start"

        [event.lane || event.other, event.kind, event.place].compact.join(" ")
      end

      # Lines that are equal for equal runs.
      def to_a
        @events.map do |event|
          [event.at, event.kind, event.lane, event.other, event.place, event.text,
            event.choices].join(" ")
        end
      end

      private

      # A scheduler waits for its fibers, whose own waits are recorded.
      def polls?(kind, subject)
        %i[wait wake].include?(kind) && subject.is_a?(SimulatedThread) &&
          subject.wait&.reason == :poll
      end

      # Fibers stand beside their thread: main, main/1, main/1.1, main/2.
      def order(lane) = lane.split(%r{[/.]}).map { |part| format("%6s", part) }

      def setup(world)
        @world = world
        @scope = Preemption::Scope.new(world.settings.preempt_in)
      end

      def record(kind, lane, other, text = nil)
        frames = (lane && !outside?) ? frames() : []
        @events << Event.new(kind, @world.clock.now, lane, other, frames.first, frames, text,
          @world.decisions.choices.size)
        @events.shift if @events.size > LIMIT
      end

      # Hosts stand for their first threads. The packet takes the place of its timer. One to an
      # address that nobody has stays with its sender.
      def packet(kind, packet, text)
        last = @events.last
        @events.pop if last&.kind == :timer && last.text == packet.from.name
        record(kind, nil, host_lane(packet.to || packet.from), text)
        event = @events.last
        event.sender = host_lane(packet.from)
        event.sent = packet.sent
      end

      def host_lane(host)
        thread = @world.threads.find { |one| (one.host || @world.network.home).equal?(host) }
        thread ? lane(thread) : World::MAIN
      end

      def timer(timer)
        @timer = true
        label = timer.label
        record(:timer, nil, label.is_a?(SimulatedThread) ? label.path : nil,
          label.is_a?(::String) ? label : nil)
      end

      def switch(kind, to)
        record(kind, @lane, to) unless to == @lane
        @lane = to
      end

      def lane(subject)
        name = subject.is_a?(SimulatedThread) ? subject.path : subject.to_s
        @lanes[name] ||= name
        name
      end

      # Nil where no thread acts: timers, descriptors.
      def actor = (@lane unless @timer || outside? || @world.running.wait)

      # Whether no thread of the world runs: a fiber has ended, and the next one is chosen. The
      # frames are those of the caller then.
      def outside? = @world.running.nil? || @world.loop_fiber.equal?(::Fiber.current)

      def reason(thread)
        wait = thread.wait or return "waits"
        return "sleeps#{" #{wait.limit} s" if wait.limit}" if wait.reason == :sleep

        ["waits for", name(wait.subject) || wait.reason].join(" ")
      end

      def name(subject)
        case subject
        when nil, ::Array then nil
        when SimulatedThread then "the end of #{subject.path}"
        else subject.class.name.to_s.split("::").last
        end
      end

      def host_name(host) = host.respond_to?(:name) ? host.name.to_s : host.to_s

      # file:line of the program's frames, innermost first; of all frames above the simulation where
      # there are none.
      def frames
        frames = ::Kernel.caller_locations(3).to_a
        own = frames.select { |frame| frame.path && @scope.include?(frame.path) }
        own = frames.reject { |frame| frame.path.nil? || internal?(frame.path) } if own.empty?
        own.first(FRAMES).map { |frame| "#{frame.path}:#{frame.lineno} #{frame.label}" }
      end

      def internal?(path) = path.start_with?("<internal:") || path.include?("/raffia/simulation")
    end
  end
end
