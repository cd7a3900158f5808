# frozen_string_literal: true

module TestRun
  # Counts skipped tests by reason. With RAFFIA_TEST_STRICT=1, as .ci/run sets it, a reason that is
  # not expected on a complete machine is a failure: a missing server, gem or back end there would
  # hide a part of the suite.
  class Skips
    STRICT = ENV["RAFFIA_TEST_STRICT"] == "1"
    # Reasons that lie in the Ruby, the back end or the kernel, on any machine.
    EXPECTED = [
      /\A(?:the select engine|the portable scheduler|the engine in Ruby|select\(2\)|Ruby alone)(?=\W)/,
      /\A(?:Ruby (?:before )?[34]\.|this Ruby has no YJIT\z|they are no experiment any more|forking beside Ractors)/,
      /\Afour Ractors that each wait for a Thread hang, in plain Ruby/,
      /\A(?:its waits are system calls of their own|each of its answers is sent alone)\z/,
      /\A(?:the inner call would run in a Ractor|fiber_interrupt is what interrupts here)\z/,
      /\Aan enumerator's fiber cannot park in a scheduler that yields\z/,
      /\Athis machine (?:stands still|has 127\.0\.0\.1 alone)/,
      /\A(?:no IPv6 here|no perf here|of (?:Linux|CRuby)\b|made for a vm\.max_map_count)/,
      /cannot be (?:mounted|read)(?: here|: it needs root, and tracefs mounted)\z/
    ].freeze

    # @param skipped [Array<Hash>] name:, reason:
    def initialize(skipped)
      @by_reason = skipped.group_by { |skip| skip[:reason] }
    end

    # @return [Array<String>] one for each reason
    def lines
      @by_reason.sort_by { |reason, tests| [-tests.size, reason] }
        .map do |reason, tests|
          "#{tests.size.to_s.rjust(4)}  " \
            "#{reason}#{"  (not expected here)" if STRICT && unexpected?(reason)}"
        end
    end

    # @return [Boolean] whether no skip hides what this run must test
    def allowed? = !STRICT || @by_reason.keys.none? { |reason| unexpected?(reason) }

    private

    def unexpected?(reason) = EXPECTED.none? { |pattern| pattern.match?(reason) }
  end
end
