# frozen_string_literal: true

require "shellwords"

# The C tests: test/native/*.c against ext/raffia/core/*.c, with no Ruby in the process. A file with
# a `main` is a program of its own; the others are linked into each.
class NativeTests
  # TSan of gcc 12 and clang 14 wants addresses that are scattered over 28 bits at most; some
  # kernels do over 32.
  SCATTER = "/proc/sys/vm/mmap_rnd_bits"
  UNSCATTERED = (File.readable?(SCATTER) && File.read(SCATTER).to_i > 28) ?
    %w[setarch --addr-no-randomize] : []
  WARNINGS = %w[-std=c11 -Wall -Wextra -Werror -g].freeze
  # name => [compiler flags, command in front of the program, environment of the program]
  VARIANTS = {
    "native" => [%w[-O2], [], {}],
    "asan" => [
      %w[-O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all], [],
      {"ASAN_OPTIONS" => "detect_stack_use_after_return=1:strict_string_checks=1",
       "UBSAN_OPTIONS" => "print_stacktrace=1"}
    ],
    "tsan" => [%w[-O1 -fno-omit-frame-pointer -fsanitize=thread], UNSCATTERED,
      {"TSAN_OPTIONS" => "halt_on_error=1:die_after_fork=0"}],
    # Threads that live to the end of the program hold memory of libc's that is "possibly" lost.
    "valgrind" => [
      %w[-O1],
      %w[valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite
        --errors-for-leak-kinds=definite
        --suppressions=test/native/valgrind.supp --track-fds=no], {}
    ]
  }.freeze
  # Seconds for one program; a loop that hangs must not hang the run.
  LIMIT = 300

  def self.any? = !Dir["test/native/*.c"].empty?

  def initialize(variant)
    @folder = "tmp/native/#{variant}"
    @flags, @prefix, @environment = VARIANTS.fetch(variant)
  end

  def run
    FileUtils.mkdir_p(@folder)
    mains, shared = Dir["test/native/*.c"].sort
      .partition { |file| File.read(file).match?(/^int\s+main\s*\(/) }
    objects = (Dir["ext/raffia/core/*.c"].sort + shared).map { |source| compile(source) }
    mains.each { |main| execute(link(main, objects)) }
  end

  private

  def compile(source)
    object = File.join(@folder, source.gsub(/[^\w.]/, "_").sub(/c\z/, "o"))
    command = [compiler, *WARNINGS, *@flags, *defines, "-Iext/raffia/core", "-Itest/native",
      *libraries("--cflags"), "-c", source,
      "-o", object]
    note = "#{object}.command" # another flag is another object
    if fresh?(object, source) && File.exist?(note) && File.read(note) == command.join(" ")
      return object
    end
    sh(*command, verbose: false)
    File.write(note, command.join(" "))
    object
  end

  # Headers are few: any that is newer makes everything stale.
  def fresh?(object, source)
    File.exist?(object) &&
      [source, *Dir["{ext/raffia/core,test/native}/*.h"]].all? { |file|
        File.mtime(file) < File.mtime(object)
      }
  end

  def link(main, objects)
    program = File.join(@folder, File.basename(main, ".c"))
    sh(compiler, *@flags, compile(main), *objects, *libraries("--libs"), "-lpthread", "-o", program,
      verbose: false)
    program
  end

  def execute(program)
    sh(@environment, "timeout", LIMIT.to_s, *@prefix, program, verbose: false)
  end

  def compiler = ENV.fetch("CC", "cc")

  # Macros of extconf.rb, so that the tests see the core as the extension does.
  def defines
    @defines ||= begin
      makefile = "tmp/ext/#{RUBY_VERSION[/\d+\.\d+/]}/Makefile"
      text = File.exist?(makefile) ? File.read(makefile) : ""
      found = text.scan(/^(?:DEFS|CPPFLAGS|CFLAGS)\s*=\s*(.*)$/).flatten.flat_map(&:shellsplit)
        .grep(/\A-D(?:HAVE|RAFFIA|_GNU)/)
      # The extension is without libkqueue, the tests are not (see extconf.rb).
      found << "-DHAVE_KQUEUE" unless libraries("--libs").grep("-lkqueue").empty?
      found.uniq
    end
  end

  def libraries(what)
    @libraries ||= {}
    @libraries[what] ||= %w[liburing libllhttp libnghttp2 libkqueue].flat_map { |name|
      `pkg-config #{what} #{name} 2>/dev/null`.split
    }
  end

  def sh(...) = Rake::FileUtilsExt.sh(...)
end

namespace :test do
  {"native" => "plain", "asan" => "under ASan + UBSan", "tsan" => "under TSan",
   "valgrind" => "under valgrind (slow)"}.each do |variant, how|
    desc "Run the C tests of the native core #{how}"
    task variant => :compile do
      if NativeTests.any?
        NativeTests.new(variant).run
      else
        puts "test:#{variant}: there are no C tests (test/native/*.c), nothing to run"
      end
    end
  end
end
