# frozen_string_literal: true

require "test_helper"
require "raffia/process"
require "tmpdir"

class ProcessFilesTest < Raffia::TestCase
  # In a process of its own: where there has been a Ractor, no process can flush before the fork,
  # and the child's lines come first.
  BOTH = <<~RUBY
    require "raffia"
    ours = File.open(ARGV.fetch(0), ARGV.fetch(2))
    ours << "parent "
    own = nil # it lives until the worker leaves
    Raffia.each([1], on: :processes, workers: 1) do
      ours << "child"
      own = File.open(ARGV.fetch(1), ARGV.fetch(2))
      own << "own"
    end
    ours.close
  RUBY

  def test_what_parent_and_child_have_written_is_there_once
    # Ruby alone does not tell whether a file that can be read has read ahead
    modes = Raffia::Native.available? ? %w[w a w+ a+ r+] : %w[w a]
    modes.each do |mode|
      Dir.mktmpdir do |dir|
        paths = %w[ours own].map { |name| File.join(dir, name).tap { |path| File.write(path, "") } }
        assert run_program(BOTH, *paths, mode)
        assert_equal(["parent child", "own"], paths.map { |path| File.read(path) }, mode)
      end
    end
  end

  def test_the_place_in_a_file_that_is_read_stays
    Dir.mktmpdir do |dir|
      path = File.join(dir, "lines")
      File.write(path, "1\n2\n3\n")
      %w[r r+].each do |mode|
        File.open(path, mode) do |file|
          assert_equal("1\n", file.gets)
          work { file.gets }
          assert_equal(%W[2\n 3\n], file.readlines)
        end
      end
    end
  end

  def test_what_is_no_file_any_more_or_not_yet_harms_nobody
    closed = File.open(File::NULL, "w").tap(&:close)
    unopened = File.allocate
    assert_predicate(work { true }, :clean?)
    assert_equal([true, File], [closed.closed?, unopened.class])
  end

  # A class with methods that must not be called.
  class Odd < File
    def stat = nil

    def flush = raise("not now")
  end

  def test_files_that_cannot_be_asked_harm_nobody
    Dir.mktmpdir do |dir|
      frozen = File.open(File.join(dir, "frozen"), "w").freeze
      odd = Odd.open(File.join(dir, "odd"), "w")
      refused = File.open(File.join(dir, "refused"), "w")
      refused.define_singleton_method(:flush) { raise "not now" }
      own = File.join(dir, "own")
      kept = nil # it lives until the worker leaves
      assert_predicate(work { (kept = File.open(own, "w")) << "own" }, :clean?)
      assert_equal("own", File.read(own))
      assert_predicate(frozen, :frozen?)
      [odd, refused].each(&:close)
    end
  end

  # Another thread may write between the flush and the fork.
  LATE = <<~RUBY
    require "raffia"
    Process.singleton_class.prepend(Module.new { def _fork = ($file << "late ") && super })
    File.open(ARGV.fetch(0), "w") do |file|
      $file = file
      Raffia.each([1], on: :processes, workers: 1) { file << "child " }
    end
  RUBY

  # Where there has been a Ractor, ObjectSpace shows no files.
  UNSEEN = <<~RUBY
    require "raffia"
    Ractor.new { 1 }.take
    File.open(ARGV.fetch(0), "w") do |file|
      file << "late "
      Raffia.each([1], on: :processes, workers: 1) { file << "child " }
    end
  RUBY

  def test_what_comes_after_the_flush_is_there_once
    skip "this Ruby has no extension" unless Raffia::Native.available?

    [LATE, UNSEEN].each do |program|
      Dir.mktmpdir do |dir|
        path = File.join(dir, "file")
        assert run_program(program, path)
        assert_equal(%w[child late], File.read(path).split)
      end
    end
  end

  private

  def run_program(program, *arguments)
    system(RbConfig.ruby, "-W0", "-I", File.expand_path("../../../lib", __dir__), "-e", program,
      *arguments)
  end

  # @return [Raffia::Process::Exit]
  def work(&block)
    worker = Raffia::Process::Worker.new { |_link| block.call }
    worker.exit(60)
  ensure
    worker&.kill
  end
end
