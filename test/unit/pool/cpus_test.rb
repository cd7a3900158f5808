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
      Raffia::Pool::Cpus.count(root: root, membership: own)
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
    assert_equal(Etc.nprocessors, Raffia::Pool::Cpus.count(root: "/nowhere", membership: "/nowhere/else"))
    assert_equal(Etc.nprocessors, count({"a" => "50000 100000\n"}, "4:cpu:/a\n"))
    assert_equal(Etc.nprocessors, count({"a" => "garbage\n"}))
  end
end
