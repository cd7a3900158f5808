# frozen_string_literal: true

module TestSupport
  # @return [Float] seconds of the monotonic clock
  def self.now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

  # The resources of this process at one moment: threads, Ractors, children (zombies named as such),
  # descriptors. Each is a hash from a stable identity to a readable name.
  module Holdings
    FD_DIR = File.directory?("/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"

    module_function

    def now = threads.merge(ractors, children, descriptors)

    def threads = Thread.list.to_h { |thread| [[:thread, thread.object_id], thread.inspect] }

    def ractors
      (2..(defined?(Ractor) ? Ractor.count : 0)).to_h { |n| [[:ractor, n], "Ractor number #{n}"] }
    end

    def children
      Dir["/proc/[0-9]*/stat"].each_with_object({}) do |path, found|
        pid, command, state, parent = File.read(path).match(/\A(\d+) \((.*)\) (\S) (\d+)/m)
          &.captures
        next unless parent.to_i == ::Process.pid
        found[[:child, pid]] = "#{(state == "Z") ? "zombie" : "child"} #{pid} (#{command})"
      rescue SystemCallError
        next # it ended while we looked
      end
    end

    # The target is part of the identity: a number that was closed and given to something else is
    # something else.
    def descriptors
      Dir.children(FD_DIR).each_with_object({}) do |fd, found|
        target = File.readlink(File.join(FD_DIR, fd))
        unless target.match?(%r{\A/proc/\d+/fd\z})
          found[[:fd, fd, target]] = "fd #{fd} -> #{target}"
        end
      rescue SystemCallError
        next # the descriptor that read the folder
      end
    end
  end

  # +assert_no_leaks+, for each test that starts something.
  module Leaks
    # Run the block, then assert that it left no thread, Ractor, child, zombie or descriptor behind.
    # Resources that end by themselves get +timeout+ seconds to do so. A block that raises is not
    # checked: its error is the news.
    #
    # @return [Object] the block's value
    def assert_no_leaks(timeout = 30)
      before = Holdings.now
      value = yield
      give_up = TestSupport.now + timeout
      sleep(0.002) until (left = held_since(before)).empty? || TestSupport.now > give_up
      assert_empty(left, "left behind after the block: #{left.join(", ")}")
      value
    end

    private

    def held_since(before) = Holdings.now.except(*before.keys).values
  end
end

# Ruby's own timer thread opens its descriptors with the first thread: not a leak of whatever test
# comes first.
Thread.new {}.join
