# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "tmpdir"
require "raffia/cli/doctor"

module Raffia
  module CLI
    class Doctor < Command
      class LimitsTest < TestCase
        ROOMY = {NOFILE: [20_000, 524_288], MEMLOCK: [8 << 20, 8 << 20]}.freeze

        # Answers getrlimit as ::Process does.
        Limited = Struct.new(:limits) do
          def getrlimit(name) = limits.fetch(name) { raise ArgumentError, "no #{name} here" }
        end

        def setup
          @root = Dir.mktmpdir
        end

        def teardown
          FileUtils.remove_entry(@root)
        end

        def test_a_system_that_tells_nothing_gets_the_two_checks_that_need_nothing
          assert_equal %w[CPU memory], examine({}).keys
        end

        def test_open_files
          assert_equal ["ok", "20,000, can be raised to 524,288"], examine["open files"].to_a[1, 2]
          few = examine(NOFILE: [1024, 524_288])["open files"]
          assert_equal "warn", few.status
          assert_includes few.advice, "ulimit -n 524288"
        end

        def test_no_hard_limit_on_open_files
          few = examine(NOFILE: [1024, ::Process::RLIM_INFINITY])["open files"]
          assert_includes few.detail, "unlimited"
          assert_includes few.advice, "ulimit -n 1048576"
        end

        def test_memory_maps_as_fibers
          write "proc/sys/vm/max_map_count", 65_530
          assert_equal "ok", examine["fibers"].status
          assert_includes examine["fibers"].detail, "about 31,700 alive"
          write "proc/sys/vm/max_map_count", 1000
          assert_equal "warn", examine["fibers"].status
          assert_includes examine["fibers"].detail, "about 0 alive"
        end

        def test_locked_memory
          assert_includes examine["locked memory"].detail, "8 MB"
          assert_includes examine(MEMLOCK: [65_536, 65_536])["locked memory"].detail, "64 KB"
          assert_includes examine(MEMLOCK: [::Process::RLIM_INFINITY] * 2)["locked memory"].detail,
            "unlimited"
          assert_includes examine(MEMLOCK: [0, 0])["locked memory"].detail, "0 bytes"
        end

        def test_io_uring
          {0 => "ok", 1 => "note", 2 => "note", 7 => "note"}.each do |state, status|
            write "proc/sys/kernel/io_uring_disabled", state
            assert_equal status, examine["io_uring"].status, "state #{state}"
          end
        end

        def test_listen_queue
          write "proc/sys/net/core/somaxconn", 4096
          assert_equal "ok", examine["listen queue"].status
          write "proc/sys/net/core/somaxconn", 128
          assert_equal "warn", examine["listen queue"].status
        end

        def test_cpu_quota_of_cgroup_2_where_the_lowest_level_holds
          write "proc/self/cgroup", "0::/app/web"
          write "sys/fs/cgroup/app/web/cpu.max", "max 100000"
          write "sys/fs/cgroup/app/cpu.max", "150000 100000"
          write "sys/fs/cgroup/cpu.max", "300000 100000"
          assert_equal "warn", examine["CPU"].status
          assert_equal "4 cores, cgroup quota of 1.5", examine["CPU"].detail
          assert_includes examine["CPU"].advice, "RAFFIA_WORKERS=2 "
        end

        def test_cpu_quota_of_cgroup_1
          write "proc/self/cgroup", "2:cpu,cpuacct:/app\n1:memory:/"
          write "sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "400000"
          write "sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000"
          assert_equal ["ok", "4 cores, cgroup quota of 4.0"], examine["CPU"].to_a[1, 2]
          write "sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "-1"
          assert_equal "4 cores, no cgroup quota", examine["CPU"].detail
        end

        def test_memory_limit_of_cgroup_2
          write "proc/self/cgroup", "0::/app"
          write "sys/fs/cgroup/app/memory.max", "max"
          assert_equal ["ok", "no cgroup limit"], examine["memory"].to_a[1, 2]
          write "sys/fs/cgroup/app/memory.max", 2 << 30
          assert_equal ["ok", "cgroup limit of 2 GB"], examine["memory"].to_a[1, 2]
        end

        def test_memory_limit_of_cgroup_1
          write "proc/self/cgroup", "4:memory:/gone"
          write "sys/fs/cgroup/memory/memory.limit_in_bytes", 9_223_372_036_854_771_712
          assert_equal "no cgroup limit", examine["memory"].detail
          write "sys/fs/cgroup/memory/memory.limit_in_bytes", 100 << 20
          assert_equal ["warn", "cgroup limit of 100 MB"], examine["memory"].to_a[1, 2]
        end

        def test_this_machine_is_examined_without_surprises
          Limits.call.each { |check| assert_includes %w[ok note warn], check.status }
        end

        private

        def examine(limits = ROOMY)
          system = System.new(root: @root, process: Limited.new(limits), cores: 4)
          Limits.call(system).to_h { |check| [check.name, check] }
        end

        def write(path, content)
          file = File.join(@root, path)
          FileUtils.mkdir_p(File.dirname(file))
          File.write(file, content.to_s)
        end
      end
    end
  end
end
