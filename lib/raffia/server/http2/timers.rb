# frozen_string_literal: true

module Raffia
  class Server
    module HTTP2
      # The timers of a connection. {ConnectionMonitor} checks them.
      #
      # @api private
      class Timers
        # Seconds for the client to acknowledge our SETTINGS.
        SETTINGS = 10
        # Seconds of silence, while streams are open, before a PING; and for its ACK.
        SILENCE = 30
        PING = 10
        # Seconds between the announcement of the end and the last GOAWAY, for clients that do not
        # acknowledge PINGs.
        ANNOUNCED = 1
        # Codes of errors (RFC 9113, 7).
        NO_ERROR = 0
        SETTINGS_TIMEOUT = 4
        ENHANCE_YOUR_CALM = 11
        private_constant :SETTINGS, :SILENCE, :PING, :ANNOUNCED, :NO_ERROR, :SETTINGS_TIMEOUT,
          :ENHANCE_YOUR_CALM

        # `settings`, `silence`, `ping`: other limits than these.
        def initialize(session, options, settings: SETTINGS, silence: SILENCE, ping: PING)
          @session = session
          @settings = settings
          @silence = silence
          @ping = ping
          @head_timeout = options.head_timeout
          @idle_timeout = options.idle_timeout
          @write_timeout = options.write_timeout
          @began = @active_at = Clock.now
          @head_at = @blocked_at = @pinged_at = @announced_at = nil
          @requests = @sent = 0
        end

        # The end was announced.
        def announced = @announced_at ||= Clock.now

        # Returns what is due: :end when the connection takes no further request, :abort when it is
        # to be closed at once, nil: nothing.
        def check(now)
          late?(now) || ping(now) || idle?(now) || announced?(now)
        end

        private

        def late?(now)
          if !@session.settings_acked? && now - @began > @settings then abort(SETTINGS_TIMEOUT)
          elsif head_late?(now) then abort(ENHANCE_YOUR_CALM)
          elsif blocked?(now) then abort(ENHANCE_YOUR_CALM)
          end
        end

        def abort(code)
          @session.goaway(code)
          :abort
        end

        # The block of fields that has begun must end.
        def head_late?(now)
          requests = @session.requests
          @head_at = nil unless @session.in_head? && requests == @requests
          @requests = requests
          @head_at ||= now if @session.in_head?
          @head_timeout && @head_at && now - @head_at > @head_timeout
        end

        # Output waits, and the client has taken none of it.
        def blocked?(now)
          sent = @session.sent
          @blocked_at = nil unless @session.output_blocked? && sent == @sent
          @sent = sent
          @blocked_at ||= now if @session.output_blocked?
          @write_timeout && @blocked_at && now - @blocked_at > @write_timeout
        end

        def ping(now)
          silence = @session.silence
          if @pinged_at
            return @pinged_at = nil if silence < now - @pinged_at

            :abort if now - @pinged_at > @ping
          elsif silence > @silence && @session.streams.positive?
            @session.ping
            @pinged_at = now
            nil
          end
        end

        def idle?(now)
          if @session.streams.positive?
            @active_at = now
            return
          end

          :end if @idle_timeout && @session.silence > @idle_timeout &&
            now - @active_at > @idle_timeout
        end

        def announced?(now) = (:end if @announced_at && now - @announced_at > ANNOUNCED)
      end
    end
  end
end
