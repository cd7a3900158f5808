# frozen_string_literal: true

module Raffia
  class Server
    module Ractors
      # Rewrites the pool's error messages for servers, which have no items and could use processes.
      #
      # @api private
      module RefusalText
        WHO = /\Athe block at \S+ (?:cannot run in another Ractor: it )?|\A(?=a method of )/
        OTHERWISE = /,? or run it on: .*\z/
        KEEP = "Keep it in a frozen constant, or in Ractor.current[:name]"
        # Phrases that make no sense for a server.
        INSTEAD = {
          /,? ?hand it in as part of the items/i => "",
          /Assign it to a local variable (?:first|before the call)/i => KEEP,
          "Load it before the call" => "Load it in config.ru", "before the call" => "beforehand",
          " or :threads" => ""
        }.freeze

        # Returns reason and remedy.
        def self.of(error)
          text = error.message.sub(WHO, "").sub(OTHERWISE, "")
          why, remedy = text.match(/\A(.*?\)|.*?)(?:\. (?=[A-Z])|: (?=assign|make))(.*)\z/m)
            &.captures || [text, ""]
          [why, remedy(remedy)]
        end

        def self.remedy(text)
          text = INSTEAD.reduce(text) { |words, (theirs, ours)| words.sub(theirs, ours) }
          text = KEEP if text.empty?
          text[0].upcase + text[1..]
        end
      end
    end
  end
end
