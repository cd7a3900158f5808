# frozen_string_literal: true

require "fileutils"

module Ledger
  # The world of the programs under test, where clocks jump and disks forget: see shim.c.
  class Shim
    SOURCE = File.join(__dir__, "shim.c")

    # Why there is none.
    class Missing < StandardError; end

    # @param dir [String] of our own
    # @param disk [String, nil] the folder whose files forget what is not synced
    def initialize(dir, disk: nil)
      @library = File.join(dir, "shim.so")
      @world = File.join(dir, "world")
      @disk = disk && File.realpath(disk)
      compile
      turn_clock(0)
      fill_disk(false)
    end

    # @return [Hash{String => String}]
    def env
      {"LD_PRELOAD" => @library, "RAFFIA_SHIM_WORLD" => @world, "RAFFIA_SHIM_DISK" => @disk}.compact
    end

    # @param seconds [Integer] that clocks are ahead from now on; negative: behind
    def turn_clock(seconds) = Shim.turn_clock(@world, seconds)

    # The same by the file that programs have in RAFFIA_SHIM_WORLD.
    def self.turn_clock(world, seconds) = set(world, 0, seconds)

    # @param full [Boolean] whether nothing more can be written to the disk from now on
    def fill_disk(full) = Shim.set(@world, 1, full ? 1 : 0)

    # The power goes. Everybody who writes must have been killed.
    # @return [Integer] how many bytes are lost: overwritten ones, and those by which files had
    #   grown
    def cut
      Dir[File.join(@disk, "*.undo")].sum { |notes| undo(notes, notes.delete_suffix(".undo")) }
    end

    # @api private
    def self.set(world, index, value)
      File.binwrite(world, [value].pack("q"), index * 8, mode: File::RDWR | File::CREAT)
    end

    private

    def compile
      made = system(ENV.fetch("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", @library, SOURCE,
        "-ldl", %i[out err] => "#{@library}.log")
      unless made
        raise Missing, "shim.c cannot be compiled here: " \
          "#{File.read("#{@library}.log") if File.exist?("#{@library}.log")}"
      end
    end

    def undo(path, file)
      notes = read(File.binread(path))
      lost = notes.sum { |_, bytes, _| bytes.size }
      if File.exist?(file)
        lost += File.size(file)
        File.open(file, "r+b") do |io|
          notes.reverse_each do |offset, bytes, size|
            io.pwrite(bytes, offset)
            io.truncate(size)
          end
        end
        lost -= File.size(file)
      end
      FileUtils.rm(path)
      lost
    end

    # @return [Array<Array(Integer, String, Integer)>]
    def read(bytes)
      notes = []
      position = 0
      while position < bytes.bytesize
        offset, length, size = bytes.byteslice(position, 24).unpack("qqq")
        notes << [offset, bytes.byteslice(position + 24, length), size]
        position += 24 + length
      end
      notes
    end
  end
end
