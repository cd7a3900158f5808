# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "tmpdir"
require "raffia"
require "raffia/server/observability/access_log"

class AccessLogTest < Raffia::TestCase
  ENV_OF_ONE = {"REMOTE_ADDR" => "127.0.0.1", "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "",
                "PATH_INFO" => "/a", "QUERY_STRING" => "b=1",
                "SERVER_PROTOCOL" => "HTTP/1.1", "HTTP_USER_AGENT" => "curl/8.5",
                "HTTP_HOST" => "example.org"}.freeze

  def setup
    @folder = Dir.mktmpdir
    @told = StringIO.new
    @log = Logger.new(@told)
  end

  def teardown = FileUtils.rm_rf(@folder)

  def path = File.join(@folder, "access.log")

  def entry(number = 1, **env)
    Raffia::Server::Observability::AccessLog::Entry.new(ENV_OF_ONE.merge(
      env.transform_keys(&:to_s)
    ),
      "id-#{number}", 200, 512, 3_210, 40)
  end

  def access_log(target = path, **, &)
    Raffia::Server::Observability::AccessLog.new(target, log: @log, **, &)
  end

  def on_a_small_disk
    disk = File.join(@folder, "disk")
    Dir.mkdir(disk)
    unless system("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk, err: File::NULL)
      skip "a small disk cannot be mounted here"
    end
    begin
      yield disk
    ensure
      system("umount", "-l", disk)
    end
  end

  # To the last byte.
  def fill(path)
    File.open(path, "w") { |file| loop { file.syswrite("x" * 4_096) } }
  rescue Errno::ENOSPC
    nil
  end

  def test_a_combined_line
    log = access_log
    log.add(entry)
    log.close
    assert_match(
      Regexp.new('\A127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] ' \
        '"GET /a\?b=1 HTTP/1\.1" 200 512 "-" "curl/8\.5" 0\.003210 0\.000040 id-1\n\z'),
      File.read(path)
    )
  end

  def test_bytes_that_could_end_a_field_or_line_are_escaped
    log = access_log
    log.add(entry(HTTP_USER_AGENT: "a\"b\\c\nd\e[0m\xFFé", PATH_INFO: "/é"))
    log.close
    line = File.read(path)
    assert_equal(1, line.count("\n"))
    assert_includes(line, '"a\x22b\x5Cc\x0Ad\x1B[0m\xFF\xC3\xA9"')
    assert_includes(line, '"GET /\xC3\xA9?b=1 HTTP/1.1"')
  end

  def test_a_json_line
    log = access_log(format: :json)
    log.add(entry(HTTP_USER_AGENT: "a\"b\nc\xFFé", HTTP_X_FORWARDED_FOR: "10.0.0.1"))
    log.add(entry(2).tap { |other| other.queued = -1 })
    log.close
    first, second = File.readlines(path).map { |line| JSON.parse(line) }
    assert_equal({"remote" => "127.0.0.1", "target" => "/a?b=1", "method" => "GET",
      "protocol" => "HTTP/1.1", "host" => "example.org",
      "agent" => "a\"b\nc\uFFFDé", "forwarded" => "10.0.0.1", "status" => 200, "bytes" => 512,
      "duration" => 0.00321, "queued" => 4e-05,
      "id" => "id-1"}, first.except("time"))
    assert_match(/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/, first["time"])
    refute(second.key?("queued"))
  end

  def test_lines_are_written_by_a_fiber_soon_after_the_first
    Raffia.run do |scope|
      log = access_log
      writer = scope.spawn { log.run }
      log.add(entry)
      assert_empty(File.read(path), "a request does not wait for the file")
      wait_until { File.read(path).lines.size == 1 }
      log.add(entry(2))
      wait_until { File.read(path).lines.size == 2 }
      writer.cancel
      log.close
    end
  end

  def test_the_last_lines_are_written_at_the_end
    Raffia.run do |scope|
      log = access_log
      writer = scope.spawn { log.run }
      1_000.times { |number| log.add(entry(number)) }
      log.close
      writer.cancel
    end
    assert_equal((0...1_000).map { |number| "id-#{number}" },
      File.readlines(path).map { |line| line[/id-\d+/] })
  end

  def test_after_a_rotation_lines_go_to_a_new_file
    log = access_log
    log.add(entry(1))
    File.rename(path, "#{path}.1")
    log.reopen
    log.add(entry(2))
    log.close
    assert_match(/id-1\n\z/, File.read("#{path}.1"))
    assert_match(/id-2\n\z/, File.read(path))
  end

  def test_a_rotation_that_fails_keeps_the_old_file
    folder = File.join(@folder, "gone")
    Dir.mkdir(folder)
    log = access_log(File.join(folder, "access.log"))
    File.rename(folder, "#{folder}.1")
    log.reopen
    log.add(entry)
    log.close
    assert_match(/id-1\n\z/, File.read("#{folder}.1/access.log"))
    assert_match(/cannot be opened again/, @told.string)
  end

  def test_a_full_disk_is_logged_once_and_loses_lines_beyond_the_limit
    skip "no /dev/full here" unless File.exist?("/dev/full")

    lost = 0
    log = access_log("/dev/full", limit: 1_000) { |lines| lost += lines }
    20.times do |number|
      log.add(entry(number))
      refute(log.flush)
    end
    log.close
    assert_equal([20, 20], [lost, log.lost])
    assert_equal(1, @told.string.lines.size, @told.string)
    assert_match(/No space left on device/, @told.string)
  end

  def test_lines_for_a_slow_reader_come_whole_and_in_order
    reader, writer = IO.pipe
    Raffia.run do |scope|
      log = access_log(writer)
      writing = scope.spawn { log.run }
      2_000.times { |number| log.add(entry(number)) }
      ids = Array.new(2_000) { reader.gets[/id-\d+/] }
      assert_equal((0...2_000).map { |number| "id-#{number}" }, ids)
      writing.cancel
    end
    [reader, writer].each(&:close)
  end

  def test_lines_continue_when_a_full_disk_has_space_again
    on_a_small_disk do |disk|
      filler = File.join(disk, "filler")
      log = access_log(File.join(disk, "access.log"))
      log.add(entry(0))
      assert(log.flush)
      fill(filler)
      100.times { |number| log.add(entry(number + 1)) }
      refute(log.flush)
      File.delete(filler)
      assert(log.flush)
      log.close
      assert_equal((0..100).map { |number| "id-#{number}" },
        File.readlines(File.join(disk, "access.log")).map { |line| line[/id-\d+\n\z/].chomp })
      assert_match(/No space left.*\n.*can be written again/, @told.string)
    end
  end

  def test_a_reader_that_has_gone_ends_nothing
    reader, writer = IO.pipe
    log = access_log(writer)
    reader.close
    log.add(entry)
    refute(log.flush)
    log.close
    assert_equal(1, log.lost)
    assert_match(/Broken pipe/, @told.string)
  end

  def test_a_reader_that_does_not_read_blocks_no_request
    reader, writer = IO.pipe
    Raffia.run do |scope|
      log = access_log(writer, limit: 100_000)
      task = scope.spawn { log.run }
      5_000.times do |number|
        log.add(entry(number))
        Raffia::Waiter.nap(0) if (number % 100).zero?
      end
      assert_operator(log.lost, :>, 0)
      task.cancel
    end
    reader.close
    writer.close
  end

  def test_a_file_that_cannot_be_opened_is_an_error_at_the_start
    assert_refused(/cannot be opened: No such file/) do
      access_log(File.join(@folder, "no/where.log"))
    end
  end
end
