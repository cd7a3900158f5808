# frozen_string_literal: true

require "support/daemon"
require_relative "../cli/cli_case"

module Raffia
  # Runs each program of examples/ by the command in its head. Output that depends on the machine
  # (seconds, counts) is cut out.
  class ExamplesTest < CLICase
    EXPECTED = {
      "crawler" => [
        "27 pages, 5 of them of the calendar, never more than 4 at once", '/gone: 404 "Not Found"',
        "/slow: not finished within 4 s: give it more time or less work", "given up after 1 s"
      ],
      "fibers" => [
        "200 answers, the last one: you said 200",
        /\Aone after the other: 100 s; on fibers: \d+\.\d s\z/
      ],
      "mailer" => [
        "one after the other", "forked processes", "fibers", "threads", "a pool that stays",
        "actors", "jobs"
      ].map { |way| /\A#{way} +40 mails, \d+\.\d\d s\z/ },
      "map_over_redis" => [
        "3245 primes below 30000, the first thousands: 168, 135, 127", "counted here: false"
      ],
      "pipeline" => [
        "100 lines counted, 0 of them wrong", "the reader was never more than 12 lines ahead"
      ],
      "pool_backpressure" => [
        /\Afound \d+, after reading \d+ numbers\z/,
        "stopped: not finished within 0.2 s: give it more time or less work",
        /\A\d+ done, \d+ refused, never more than 5 waiting\z/
      ],
      "pool_processes" => [
        *Dir[File.join(ROOT, "examples/**/*.*")].map { /\A\h{16}  .*\.\w+\z/ },
        /\Aby the workers \d+/, "value: 10", /\Alost: item 2, SIGKILL \(worker \d+\)\z/, "value: 30"
      ],
      "processes" => [
        "fib(22) is 17711, 20 times", "computed here: false", "a worker died of SIGKILL on deadly"
      ],
      "ractor_accept" => ["all answers right: true", "conversations, by Ractor: 20, 20"],
      "ractor_parser" => [
        "20000 lines, 4 of them no requests, 9986004 bytes sent", "200: 17996", "404: 2000",
        "the same as without Ractors: true"
      ],
      "ractor_reuseport" => [
        "all answers right: true", "conversations: 200, in each Ractor some: true"
      ],
      "ractors" => [
        "5133 primes below 50000", "refused: the block uses greeting", "hello Ada", "hello Yukihiro"
      ],
      "same_block" => %w[inline fibers threads ractors processes]
        .map { |strategy| "#{strategy}: ONE BLOCK FIVE PLACES" },
      "simulation" => [
        "fetch: asked 2 times", "fetch_once: nil in 500 runs",
        "an hour later it is 1 o'clock: 3600.0 s"
      ],
      "threads" => [
        /\A8 documents, \d+ bytes, packed into \d+\z/, "unpacked they are the same: true",
        /\A10,000 tasks, their sum is 99990000, and never more than \d\d threads\z/
      ],
      "thumbnails" => [
        "left out: notes.ppm is no picture",
        *(0..9).map { |number| "picture#{number}.ppm: 20 x 15" },
        "the top left corner of picture3: 3, 7, 60"
      ],
      "timeouts" => [
        "gave up after 0.05 s", "time left: less than 0.2 s", "the whole map was stopped",
        "cleaned up, because the user went away", "the task is cancelled"
      ]
    }.freeze

    # Programs that an example needs beside Ruby.
    PROGRAMS = {"map_over_redis" => "redis-server"}.freeze

    EXPECTED.each do |name, lines|
      define_method(:"test_#{name}") do
        need_program(PROGRAMS[name]) if PROGRAMS.key?(name)
        ended = raffia "run", File.join(ROOT, "examples/#{name}.rb")
        errors = ended.err.lines.grep_v(/Ractor is experimental/).join
        assert_equal ["", 0], [errors, ended.code], ended.out
        found = ended.out.lines.map(&:chomp)
        assert_equal lines.size, found.size, ended.out
        lines.zip(found) { |expected, line| assert_operator expected, :===, line }
      end
    end

    def need_program(name)
      TestSupport::Daemon.find(name)
      need_gem "redis-client" if name == "redis-server"
    rescue TestSupport::Daemon::Missing => error
      skip error.message
    end

    def need_gem(name)
      return unless Gem::Specification.find_all_by_name(name).empty?
      skip("the gem #{name} is not installed (bin/setup --drivers)")
    end

    def test_the_examples_run_under_plain_ruby_too
      ended = ruby File.join(ROOT, "examples/pipeline.rb")
      assert_equal ["", 0, 2], [ended.err, ended.code, ended.out.lines.size]
    end

    def test_each_example_says_how_to_start_it_and_what_one_sees
      Dir.glob("examples/{*.rb,*/config.ru}", base: ROOT).each do |path|
        head = File.read(File.join(ROOT, path), encoding: "UTF-8")[/\A(?:#.*\n|\n)+/]
        assert_match(%r{^#     .*bin/raffia (?:run|serve) #{path}}, head)
        assert_match(/It prints|http:\/\/localhost:9292/, head, path)
      end
    end

    def test_no_example_is_forgotten
      names = Dir[File.join(ROOT, "examples/*.rb")].map { |path| File.basename(path, ".rb") }
      assert_equal EXPECTED.keys.sort, names.sort
    end
  end
end
