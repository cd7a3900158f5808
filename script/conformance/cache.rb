# frozen_string_literal: true

require "fileutils"

module Conformance
  # The folder in the user's cache that holds all that is fetched, built and recorded.
  class Cache
    # A folder is trusted only when this file is in it; it is written last.
    COMPLETE = ".raffia-complete"

    # @return [String] under XDG_CACHE_HOME, or ~/.cache
    def self.root(env = ENV)
      base = env["XDG_CACHE_HOME"].to_s
      base = File.join(Dir.home, ".cache") if base.empty?
      File.join(base, "raffia", "conformance")
    end

    def initialize(root = Cache.root)
      @root = root
    end

    def path(*parts) = File.join(@root, *parts)

    # @return [String] the path of a file, whose folder exists
    def file(*parts)
      path(*parts).tap { |file| FileUtils.mkdir_p(File.dirname(file)) }
    end

    # A folder that is made once: the block fills it, and a run that was broken off does it again.
    # @yieldparam folder [String] empty
    def folder(*parts)
      folder = path(*parts)
      return folder if complete?(folder)

      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(folder)
      yield folder
      File.write(File.join(folder, COMPLETE), "")
      folder
    end

    # An empty folder for one use.
    def scratch(*parts)
      path(*parts).tap { |folder| FileUtils.rm_rf(folder) && FileUtils.mkdir_p(folder) }
    end

    # One process at a time works in the cache; the kernel drops the lock when that ends.
    # @raise [Error] if another one does
    def lock
      File.open(file("lock"), File::RDWR | File::CREAT) do |lock|
        unless lock.flock(File::LOCK_EX | File::LOCK_NB)
          raise Error,
            "another conformance run is at work in #{@root}"
        end

        yield
      end
    end

    private

    def complete?(folder) = File.exist?(File.join(folder, COMPLETE))
  end
end
