# frozen_string_literal: true

require "tempfile"

# libFuzzer's targets: each of fuzz/*.c runs a part of the native core beside a simple model of it,
# under ASan + UBSan.
#
# fuzz/corpus/TARGET, in git, holds inputs that every run begins with: some to start from, and those
# that failed once. What a run finds beyond them goes to tmp/fuzz/TARGET/corpus, from where the next
# one goes on; an input that fails goes to tmp/fuzz/TARGET.
class FuzzTarget
  # target => the files of the core that it is made of
  ALL = {"timers" => %w[timer timer_heap op], "ops" => %w[op],
         "http1" => %w[http1_parser http1_policy http1_target http1_persistence],
         "http2" => %w[http2_session http2_stream http2_head http2_input http2_response
           http2_output http2_buffer http2_abuse http2_order]}.freeze
  # A target with this prefix needs that library.
  LIBRARIES = {"http1" => %w[libllhttp -DHAVE_LLHTTP], "http2" => %w[libnghttp2 -DHAVE_NGHTTP2]}
    .freeze
  FLAGS = %w[
    -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -fno-omit-frame-pointer
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iext/raffia/core
  ].freeze
  COMPILER = ENV.fetch("CLANG", "clang")

  # Clang comes without libFuzzer, too, so it is asked for both.
  def self.available?
    Tempfile.create(["fuzz", ".c"]) do |file|
      file.write("int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; " \
        "}\n")
      file.flush
      system(COMPILER, *FLAGS, file.path, "-o", "#{file.path}.out", out: File::NULL,
        err: File::NULL)
    ensure
      FileUtils.rm_f("#{file.path}.out")
    end
  end

  def initialize(name)
    @name = name
    @folder = "tmp/fuzz/#{name}"
    @program = "#{@folder}/#{name}"
    @seeds = "fuzz/corpus/#{name}"
    @corpus = "#{@folder}/corpus"
  end

  def build
    FileUtils.mkdir_p(@corpus)
    sources = ALL.fetch(@name).map { |file| "ext/raffia/core/#{file}.c" }
    sh COMPILER, *FLAGS, "fuzz/#{@name}.c", *sources, *library, "-o", @program
  end

  def run(seconds)
    puts "== fuzz #{@name}, #{seconds} s"
    command = [@program, "-max_total_time=#{seconds}", "-timeout=10", "-max_len=1024",
      "-print_final_stats=1", "-verbosity=0",
      "-artifact_prefix=#{@folder}/", @corpus, *Dir[@seeds]]
    sh(*command) { |passed, _| abort advice unless passed }
  end

  private

  def library
    library, macro = LIBRARIES.find { |prefix, _| @name.start_with?(prefix) }&.last
    return [] unless library
    flags = `pkg-config --cflags --libs #{library}`.split
    abort "fuzz: #{@name} needs #{library}, which pkg-config does not find" unless $?.success?
    [macro, *flags]
  end

  def advice
    <<~TEXT
      fuzz: #{@name} FAILED. The input is the newest file of #{@folder}; this runs it alone:
        #{@program} #{@folder}/crash-...
      When it is mended, put the input into #{@seeds}, so that every run begins with it.
    TEXT
  end

  def sh(*command, &) = Rake::FileUtilsExt.sh(*command, verbose: false, &)
end

desc "Fuzz the native core with libFuzzer; FUZZ=one target, FUZZ_SECONDS=60 for each"
task :fuzz do
  names = ENV.key?("FUZZ") ? [ENV["FUZZ"]] : FuzzTarget::ALL.keys
  seconds = ENV.fetch("FUZZ_SECONDS", "60").to_i
  unless (names - FuzzTarget::ALL.keys).empty?
    abort "fuzz: FUZZ must be one of #{FuzzTarget::ALL.keys.join(", ")}"
  end
  abort "fuzz: FUZZ_SECONDS must be a number above 0" unless seconds.positive?
  abort <<~TEXT unless FuzzTarget.available?
    fuzz: this needs clang with libFuzzer, and "#{FuzzTarget::COMPILER}" is not there or has none.
    On Debian 12: apt-get install clang libclang-rt-14-dev. CLANG=name takes another clang.
  TEXT
  targets = names.map { |name| FuzzTarget.new(name) }
  targets.each(&:build)
  targets.each { |target| target.run(seconds) }
end
