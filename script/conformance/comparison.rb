# frozen_string_literal: true

module Conformance
  # Compares the runs of a suite with the plain one.
  class Comparison
    BAD = %w[fail hung died].freeze
    # A test that fails under Raffia and not plain.
    Difference = Struct.new(:mode, :name, :status, :message, :async, :known)

    # @param outcomes [Hash{String => Run::Outcome}] by mode
    # @param known [Array<Known::Entry>]
    # @param unsteady [Hash{String => Array<String>}] by mode: what passed when it was repeated
    def initialize(suite, outcomes, known: [], unsteady: {})
      @suite = suite
      @outcomes = outcomes
      @known = known
      @unsteady = unsteady
    end

    attr_reader :suite, :outcomes

    # @return [Array<Difference>] all that fail on Raffia alone
    def differences
      @differences ||= raffia_modes.flat_map { |mode| differing(mode) }
    end

    # @return [Array<Difference>] those that no reason is known for: faults of ours until
    #   shown otherwise
    def unexplained = differences.reject(&:known)

    # @return [Array<String>] of this mode, what passed when it was repeated
    def unsteady(mode) = @unsteady.fetch(mode, [])

    # @return [Array<Known::Entry>] that did not happen, although every test of theirs ran
    def obsolete
      @known.select { |entry|
        entry.steady && differences.none? { |difference|
          difference.known.equal?(entry)
        } && any_ran?(entry)
      }
    end

    # @return [Array<Known::Entry>]
    def reasons = differences.filter_map(&:known).uniq

    # @return [String, nil] why nothing can be said of a mode
    def broken(mode)
      outcome = @outcomes[mode]
      return "did not run" unless outcome
      return if outcome.results.any?

      ["no test ran", *outcome.notes].join(": ")
    end

    def passed? = unexplained.empty? && @outcomes.keys.none? { |mode| broken(mode) }

    # @return [Boolean, nil] whether async fails likewise; nil: it was not asked
    def async_fails?(name)
      status = @outcomes["async"]&.status(name)
      BAD.include?(status) if status
    end

    private

    def raffia_modes = @outcomes.keys & Suite::RAFFIA_MODES

    def differing(mode)
      plain = @outcomes.fetch("plain")
      plain.results.filter_map do |name, result|
        next if BAD.include?(result.status) || unsteady(mode).include?(name)

        difference(mode, name)
      end
    end

    def difference(mode, name)
      result = @outcomes[mode].results[name]
      return if result && !BAD.include?(result.status)

      known = @known.find { |entry| entry.cover?(name, mode) }
      Difference.new(mode, name, result ? result.status : "not run", result&.message,
        async_fails?(name), known)
    end

    def any_ran?(entry)
      @outcomes.fetch("plain").results.each_key.any? { |name|
        (entry.modes & raffia_modes).any? { |mode|
          entry.cover?(name, mode)
        }
      }
    end
  end
end
