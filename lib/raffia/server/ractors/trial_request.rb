# frozen_string_literal: true

require "stringio"
require_relative "../../executor/ractors/outer_references"
require_relative "../../executor/ractors/isolation_violation"
require_relative "finding"
require_relative "object_parts"

module Raffia
  class Server
    module Ractors
      # Requests a path of an application in a Ractor, because some faults show only there.
      #
      # @api private
      module TrialRequest
        # The first request may fill a cache.
        TIMES = 2
        # status:: of the response; nil on error
        # finding:: the error
        Outcome = Data.define(:path, :status, :finding)

        class << self
          # Runs in a Ractor. Without a path it only builds the application.
          def of(plan, path)
            app = plan.build
            Outcome.new(path, (Array.new(TIMES) { request(app, path) }.max if path), nil)
          rescue ::StandardError, ::ScriptError => error
            Outcome.new(path, nil, finding(error, plan, path))
          end

          private

          def request(app, path)
            status, _, body = response(app.call(env(path)))
            body.respond_to?(:each) ? body.each { |part| part.bytesize } : body
            body.close if body.respond_to?(:close)
            status.to_i
          end

          def response(answer)
            return answer if answer.is_a?(::Array) && answer.size == 3

            raise TypeError, "#{answer.inspect[0, 60]} is no response: that is [status, headers, " \
              "body]"
          end

          def env(target)
            path, query = target.split("?", 2)
            {"REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "", "PATH_INFO" => path,
             "QUERY_STRING" => query.to_s, "SERVER_NAME" => "localhost",
             "SERVER_PORT" => "80", "SERVER_PROTOCOL" => "HTTP/1.1", "HTTP_HOST" => "localhost",
             "HTTP_USER_AGENT" => "raffia doctor",
             "REMOTE_ADDR" => "127.0.0.1", "rack.url_scheme" => "http",
             "rack.input" => ::StringIO.new("".b), "rack.errors" => $stderr}
          end

          def finding(error, plan, path)
            name = error.is_a?(::FrozenError) && named(error, plan)
            Finding.new(path ? "GET #{path}" : "config.ru",
              "raised #{error.class} at #{place(error)}: " \
                "#{error.message.lines.first&.chomp&.delete_suffix(".")}#{" (#{name})" if name}",
              advice(error, place(error)))
          end

          # Lines of the error and of the application that led to it.
          def place(error)
            lines = error.backtrace.to_a.reject { |line| line.start_with?("<internal:") }
            inner = lines.first.to_s[/\A.*?:\d+/]
            own = lines.take_while { |line| !line.include?(__FILE__) }
              .find { |line| !Executor::Ractors::OuterReferences::LIBRARIES.match?(line) }
            own = own.to_s[/\A.*?:\d+/]
            (own.nil? || own == inner) ? inner : "#{inner}, called at #{own}"
          end

          def named(error, plan)
            search(plan.app, "run", error.receiver, {}.compare_by_identity)
          end

          def search(object, path, wanted, seen)
            return path if object.equal?(wanted)
            return if seen.key?(object)

            seen[object] = true
            ObjectParts.each(object) do |part, label, _|
              search(part, "#{path} > #{label}", wanted, seen)
                .then { |found| return found if found }
            end
            nil
          end

          def advice(error, place)
            gem = place[%r{/gems/([^/]+)/}, 1] and
              return "That is #{gem}'s, which is not made for Ractors: serve it with processes"
            if error.is_a?(::FrozenError)
              return "What `run` is given is frozen: keep what changes in Ractor.current[:name], " \
                "or in a middleware, of which each Ractor has its own"
            end

            Executor::Ractors::IsolationViolation::ADVICE.find { |pattern, _|
              pattern.match?(error.message)
            }&.last
              &.then { |text| RefusalText.remedy(text) } ||
              "Serve it with processes"
          end
        end
      end
    end
  end
end
