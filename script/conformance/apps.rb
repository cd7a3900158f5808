# frozen_string_literal: true

require "net/http"
require "uri"
%w[client visitor server app load kinds trial page].each { |file| require_relative "apps/#{file}" }

module Conformance
  # Whole applications, made by their own generators, on Raffia and on Puma: do both give the same
  # answers, and does either lose an answer or a write while it is restarted under load?
  class Apps
    ALL = {
      "rails" => AppKinds::Rails, "rails-api" => AppKinds::RailsAPI, "sinatra" => AppKinds::Sinatra,
      "roda" => AppKinds::Roda, "hanami" => AppKinds::Hanami
    }.freeze

    # @param names [Array<String>] none: all
    def self.choose(names)
      unknown = names - ALL.keys
      list = ALL.keys.join(", ")
      if unknown.any?
        raise Error, "no application is called #{unknown.join(", ")}; there are: #{list}"
      end

      names.empty? ? ALL.keys : names
    end

    def initialize(cache, say)
      @cache = cache
      @say = say
    end

    # @return [Array<Trial::Verdict>]
    def call(names)
      Apps.choose(names).map do |name|
        @say.call("== #{name}")
        Trial.new(ALL[name].new(@cache), @say).call.tap { |verdict| verdict.lines.each(&@say) }
      rescue Error => error
        Trial::Verdict.new(name, error: error.message).tap { |verdict| verdict.lines.each(&@say) }
      end
    end
  end
end
