# frozen_string_literal: true

require_relative "crash_backoff"
require_relative "template_process"
require_relative "forker"
require_relative "reaper"

module Raffia
  module Process
    class Supervisor
      # The forkers in use: one, and two during a restart. A template process that dies is replaced
      # by one that loads the code on the disk.
      #
      # @api private
      class ForkerSet
        RETRY = 1.0
        private_constant :RETRY

        attr_accessor :current
        attr_reader :adopting

        def initialize(settings)
          @settings = settings
          @all = []
          @backoff = CrashBackoff.new(settings.crash_window, settings.min_life)
        end

        # Raises any error of `preload`, where the supervisor itself must call it.
        def start(work, boards, disown)
          # Before the first fork: a page that a child compacts is not shared any more.
          Warmup.call
          @adopting = !@settings.preload.nil? && Native.available? && Native.become_subreaper(true)
          kind = (@adopting && @settings.template) ? TemplateProcess : Forker
          @current = add(kind.new(@settings, work, boards, disown))
        end

        def add(forker) = forker.tap { @all << forker }

        # The forker of the next worker: another one where a template has died or is closed while
        # its worker serves.
        def for(forker)
          @all.find { |one| one.equal?(forker) } ||
            @all.find { |one| one.generation == forker&.generation } || @current
        end

        def ios = @all.flat_map(&:ios)

        def pids = @all.filter_map(&:pid)

        def hear = @all.each(&:hear)

        def reap(ended) = @all.each { |one| one.gone if ended.key?(one.pid) }

        def deadline = [@due, *@all.filter_map(&:deadline)].compact.min

        # Ends those that are not needed, and those that take too long.
        def tidy(needed, now)
          unneeded, @all = @all.partition { |one|
            !one.equal?(@current) &&
              needed.none? { |other| other.equal?(one) }
          }
          unneeded.each(&:close)
          @all.each do |one|
            one.close if one.state == :loading && one.deadline && now > one.deadline
          end
        end

        def hopeless?
          !@seen && TemplateProcess::DEAD.include?(@current.state) && !@current.served(Clock.now)
        end

        # Makes a dead one again: at once if it has served, else after a pause that grows.
        def mend(now)
          @seen ||= @current.state == :ready
          dead = @all.find { |one| TemplateProcess::DEAD.include?(one.state) } or return @due = nil
          @due ||= now + @backoff.died(now, dead.served(now))
          return if now < @due

          @due = nil
          new = dead.next(dead.generation)
          @all[@all.index(dead)] = new
          @current = new if @current.equal?(dead)
          yield dead, new
        rescue SystemCallError, ThreadError => error
          retry_later(now, error)
        end

        def close
          @all.each(&:close)
          pids.each { |pid| Reaper.await(pid) }
        ensure
          Native.become_subreaper(false) if @adopting
        end

        private

        # Too many processes or open files, or too little memory: the workers that there are go on.
        def retry_later(now, error)
          @due = now + [@backoff.died(now, nil), RETRY].max
          @settings.log&.error("the process that forks the workers cannot be started again: " \
            "#{error.message}")
        end
      end
    end
  end
end
