# frozen_string_literal: true

require "rbconfig"
require_relative "base"

module Raffia
  # The compiled part of Raffia. Only this file loads it; others check {available?}.
  #
  # Raffia works without it where there is no file at all (JRuby, a gem installed without a
  # compiler). A file that cannot be loaded raises: a silently slower runtime is worse than an
  # error.
  module Native
    # Each of several Rubies that share a checkout has its own.
    FILES = [RUBY_VERSION[/\d+\.\d+/], "."].map do |folder|
      File.expand_path("#{folder}/raffia.#{RbConfig::CONFIG["DLEXT"]}", __dir__).freeze
    end.freeze
    private_constant :FILES

    # The file of this Ruby, nil when there is none.
    FILE = (RUBY_ENGINE == "ruby") ? FILES.find { |file| File.exist?(file) } : nil

    # @return [Boolean] whether the extension is loaded
    def self.available? = !FILE.nil?

    # Advice where {http?} is false.
    HTTP_ADVICE = "install llhttp 9 with its headers (Debian: libllhttp-dev; Fedora: " \
      "llhttp-devel; Homebrew: llhttp), then `gem pristine raffia`, or bin/setup in a checkout"

    # @return [Boolean] whether HTTP was compiled in, which needs llhttp
    def self.http? = available? && const_defined?(:HTTP1, false)

    # Advice where {http2?} is false.
    HTTP2_ADVICE = "install libnghttp2 with its headers (Debian: libnghttp2-dev; Fedora: " \
      "libnghttp2-devel; Homebrew: libnghttp2), then `gem pristine raffia`, or bin/setup in a " \
      "checkout"

    # @return [Boolean] whether HTTP/2 was compiled in, which needs libnghttp2
    def self.http2? = http? && const_defined?(:HTTP2, false)

    if FILE
      require FILE
    else
      # Like the extension's, except for interrupts between two of its lines.
      def self.uninterruptible(&block)
        nil until block.call
      rescue Exception # standard:disable Lint/RescueException
        uninterruptible(&block)
        raise
      end

      # Like the extension's, except for what Ruby before 4.0 leaves undone when the calling thread
      # is interrupted.
      def self.wake_fiber(_blocker, _fiber)
        yield
        nil
      end

      # Like the extension's, but allocates.
      def self.closing?
        %w[close close_read close_write].include?(caller_locations(3, 1)&.first&.base_label)
      end

      # The caller writes what it has read.
      def self.sendfile(_to, _from, _position, _length) = -Errno::EINVAL::Errno
      def self.cached?(_file, _position) = true

      # Nothing in C reads a clock.
      def self.simulate_clock(_nanoseconds) = nil

      # ObjectSpace lists no internal objects.
      def self.visible(objects)
        return objects unless RUBY_ENGINE == "ruby"

        places = {}.compare_by_identity
        objects.each_with_index { |object, index| (places[object] ||= []) << index }
        ObjectSpace.each_object.with_object(Array.new(objects.size)) do |known, found|
          places[known]&.each { |index| found[index] = known }
        end
      end

      # Ruby itself does not tell which fiber holds a Mutex.
      def self.holder(_mutex, _fibers) = nil
    end
  end
end
