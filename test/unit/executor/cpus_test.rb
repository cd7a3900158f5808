# frozen_string_literal: true

require "test_helper"
require "raffia/pool"
require "tmpdir"

class PoolCpusTest < Raffia::TestCase
  # A tree of control groups with these quotas; this process is in the group a/b.
  def count(quotas, membership = "0::/a/b\n")
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(File.join(root, "a/b"))
      quotas.each { |path, text| File.write(File.join(root, path, "cpu.max"), text) }
      own = File.join(root, "membership")
      File.write(own, membership)
      Raffia::Executor::Cpus.count(root: root, membership: own)
    end
  end

  def test_without_a_quota_all_that_may_be_used
    assert_equal(Etc.nprocessors, count({}))
    assert_equal(Etc.nprocessors, count({"a" => "max 100000\n"}))
  end

  def test_the_tightest_quota_on_the_way_up_holds
    assert_equal(1, count({"a" => "50000 100000\n", "a/b" => "max 100000\n"}))
    assert_equal(1, count({"." => "100000 100000\n"}))
    assert_equal([2, Etc.nprocessors].min, count({"a/b" => "150000 100000\n"}))
  end

  def test_where_nothing_can_be_read
    assert_equal(Etc.nprocessors, Raffia::Executor::Cpus.count(root: "/nowhere",
      membership: "/nowhere/else"))
    assert_equal(Etc.nprocessors, count({"a" => "50000 100000\n"}, "4:cpu:/a\n"))
    assert_equal(Etc.nprocessors, count({"a" => "garbage\n"}))
  end

  # The same in the first version of control groups, whose cpu controller is mounted in a folder of
  # its own.
  def old_count(quota, tree: "cpu", path: "a/b")
    Dir.mktmpdir do |root|
      FileUtils.mkdir_p(group = File.join(root, tree, path))
      File.write(File.join(group, "cpu.cfs_quota_us"), "#{quota}\n")
      File.write(File.join(group, "cpu.cfs_period_us"), "100000\n")
      File.write(own = File.join(root, "membership"), "9:cpuset:/x\n4:#{tree}:/a/b\n0::/\n")
      Raffia::Executor::Cpus.count(root: root, membership: own)
    end
  end

  def test_quotas_of_the_first_version
    assert_equal(1, old_count(50_000))
    assert_equal(1, old_count(100_000, tree: "cpu,cpuacct"))
    assert_equal(1, old_count(100_000, path: "a"), "of a group above")
    assert_equal(1, old_count(100_000, path: "."), "a container sees its group as the root")
    assert_equal(Etc.nprocessors, old_count(-1))
  end

  # Processors and the threads of one core that they are, as /sys has it.
  def cores(siblings, allowed: "0-#{siblings.size - 1}", most: siblings.size)
    Dir.mktmpdir do |root|
      siblings.each_with_index do |list, number|
        FileUtils.mkdir_p(folder = File.join(root, "cpu#{number}/topology"))
        File.write(File.join(folder, "thread_siblings_list"), "#{list}\n")
      end
      File.write(status = File.join(root, "status"),
        "Name:\truby\nCpus_allowed_list:\t#{allowed}\n")
      Raffia::Executor::Cpus.cores(status: status, topology: root, most: most)
    end
  end

  def test_threads_of_one_core_count_once
    assert_equal(2, cores(%w[0,2 1,3 0,2 1,3]))
    assert_equal(2, cores(%w[0-1 0-1 2-3 2-3]))
    assert_equal(4, cores(%w[0 1 2 3]))
  end

  def test_cores_that_may_not_be_used_do_not_count
    assert_equal(1, cores(%w[0,2 1,3 0,2 1,3], allowed: "0,2"))
    assert_equal(2, cores(%w[0 1 2 3], allowed: "1,3"))
    assert_equal(3, cores(%w[0 1 2 3], most: 3), "a quota is tighter")
  end

  def test_where_nothing_is_said_about_cores
    assert_equal(6, Raffia::Executor::Cpus.cores(status: "/nowhere", most: 6))
    assert_equal(6, Raffia::Executor::Cpus.cores(topology: "/nowhere", most: 6))
  end

  def test_this_machine
    assert_includes(1..Raffia::Executor::Cpus.count, Raffia::Executor::Cpus.cores)
  end

  # Mocha does so: `File.expects(:read)`. The first blocking call of a run may come in the middle.
  def test_a_program_that_replaces_file_read_is_not_asked
    output = output_of(<<~RUBY)
      require "raffia"
      Raffia.run do
        File.define_singleton_method(:read) { |*| raise "unexpected" }
        print Raffia.offload { "offloaded" }
      end
    RUBY
    assert_equal "offloaded", output
  end
end
