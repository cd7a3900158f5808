# frozen_string_literal: true

require_relative "schedule/format"

module Raffia
  module Simulation
    # The choices of a run, so that it can be run again. Its text form is plain data, and fits the
    # program, the options and the Ruby that it was recorded with.
    class Schedule
      # Bytes of a text that failure messages still show.
      INLINE = 4096
      private_constant :INLINE

      # @return [Integer] seed of the run
      attr_reader :seed

      # @return [Array<Integer>] the index of each choice; 0 is the default
      attr_reader :choices

      # @return [Array<Integer>] 16 bits for each choice that describe it
      attr_reader :prints

      # @return [String] the Ruby that it was recorded with
      attr_reader :ruby

      # @return [Symbol] where threads were preempted: :cruby or :none
      attr_reader :preempt

      # @return [String] name of the strategy that drew the choices
      attr_reader :strategy

      # @param text [String] `rs1:...`; lines that begin with # are comments
      # @return [Schedule]
      # @raise [ConfigError] the text is no schedule
      def self.parse(text) = new(**Format.parse(text))

      # @param path [String]
      # @return [Schedule]
      # @raise [ConfigError] the file cannot be read, or holds no schedule
      def self.load(path)
        parse(::File.open(path, "rb") { |file| file.read(Format::MAX_BYTES + 1).to_s })
      rescue ::SystemCallError => error
        raise ConfigError, "the schedule #{path} cannot be read: #{error.message[/\A[^@]+/].strip}"
      rescue ConfigError => error
        raise ConfigError, "#{path}: #{error.message}"
      end

      # @param source [Schedule, String] a schedule, its text, or the path of its file
      # @return [Schedule]
      # @raise [ConfigError]
      def self.of(source)
        case source
        when Schedule then source
        when /\Ars\d+:/ then parse(source)
        else load(source)
        end
      end

      # @api private
      def initialize(seed:, choices:, prints:, ruby: RUBY_VERSION, preempt: :cruby, strategy: "")
        @seed = seed
        @choices = choices.dup.freeze
        @prints = prints.dup.freeze
        @ruby = ruby
        @preempt = preempt
        @strategy = strategy
      end

      # @return [Integer] choices that differ from the default: switches and drawn values
      def deviations = @choices.count(&:positive?)

      # @return [String] the text form
      def to_s
        @text ||= Format.dump(seed: @seed, choices: @choices, prints: @prints, ruby: @ruby,
          preempt: @preempt, strategy: @strategy)
      end

      # @return [Boolean] the text is short enough for a message
      def inline? = to_s.bytesize <= INLINE

      # Writes the text form, which {load} reads.
      # @param path [String]
      # @param comment [String, nil] lines for readers
      # @return [String] the path
      # @raise [ConfigError] the file cannot be written
      def save(path, comment: nil)
        lines = comment.to_s.lines.map { |line| "# #{line.chomp}\n" }
        ::File.write(path, "#{lines.join}#{self}\n")
        path
      rescue ::SystemCallError => error
        raise ConfigError, "the schedule cannot be written to #{path}: " \
          "#{error.message[/\A[^@]+/].strip}"
      end

      # @return [Boolean] the other one is a schedule with the same seed and choices
      def ==(other) = other.is_a?(Schedule) && to_s == other.to_s
      alias_method :eql?, :==

      # @return [Integer] equal for equal schedules
      def hash = to_s.hash

      # @return [String]
      def inspect = "#<#{self.class} seed=#{@seed} choices=#{@choices.size}>"
    end
  end
end
