# frozen_string_literal: true

module Celluloid
  class RingBuffer
    def initialize(size)
      @size = size
      @values = []
      @lock = ::Raffia::SpinLock.new
    end

    def push(value)
      @lock.hold do
        @values.shift if full?
        @values.push(value)
      end
      value
    end
    alias_method :<<, :push

    def shift = @lock.hold { @values.shift }

    def flush = @lock.hold { @values.tap { @values = [] } }

    def clear = flush.clear

    def full? = @values.size == @size

    def empty? = @values.empty?
  end

  LogEvent = Struct.new(:severity, :message, :progname, :time, :id) do
    include Comparable

    def <=>(other) = time <=> other.time
  end

  # Events that were logged before an error.
  Incident = Struct.new(:events, :triggering_event, :pid) do
    def merge(*others)
      self.class.new([self, *others].flat_map(&:events).uniq.sort, triggering_event, pid)
    end
  end

  # A logger that keeps events, and publishes them when one reaches a severity.
  class IncidentLogger
    module Severity
      include ::Logger::Severity

      TRACE = -1
    end
    include Severity

    attr_accessor :progname, :level, :threshold, :sizelimit
    attr_reader :buffers

    def initialize(progname = nil, options = {})
      @progname = progname || "default"
      @level = options[:level] || DEBUG
      @threshold = options[:threshold] || ERROR
      @sizelimit = options[:sizelimit] || 100
      @buffers = {}
      @lock = ::Raffia::SpinLock.new
    end

    def add(severity, message = nil, progname = nil)
      severity ||= UNKNOWN
      return if severity < @level

      message = block_given? ? yield : progname if message.nil?
      event = LogEvent.new(severity, message, progname || @progname, Time.now, Celluloid.uuid)
      buffer(event.progname, severity) << event
      publish(event) if severity >= @threshold
      event.id
    end
    alias_method :log, :add

    %w[trace debug info warn error fatal unknown].each do |name|
      severity = const_get(name.upcase)
      define_method(name) { |progname = nil, &block| add(severity, nil, progname, &block) }
      define_method(:"#{name}?") { severity >= @level }
    end

    def flush = all.flat_map(&:flush).sort

    def clear = all.each(&:clear)

    def create_incident(event = nil) = Incident.new(flush, event, ::Process.pid)

    def incident_topic = "log.incident.#{@progname}"

    private

    # Without a system, or at its end, there are no subscribers.
    def publish(event)
      Notifications.notifier.async.publish(incident_topic, create_incident(event))
    rescue Error
      nil
    end

    def buffer(progname, severity)
      @lock.hold { @buffers[[progname, severity]] ||= RingBuffer.new(@sizelimit) }
    end

    def all = @lock.hold { @buffers.values }
  end

  # An actor that logs published incidents.
  class IncidentReporter
    include Celluloid
    include Notifications

    def initialize(*arguments)
      subscribe(/log\.incident/, :report)
      @logger = ::Logger.new(*arguments)
      @silenced = false
    end

    def report(_topic, incident)
      return if silenced?

      @logger << "INCIDENT#{" AT #{incident.triggering_event.time}" if incident.triggering_event}\n"
      incident.events.each { |event| @logger.add(event.severity, event.message, event.progname) }
    end

    def silence = @silenced = true

    def unsilence = @silenced = false

    def silenced? = @silenced
  end
end
