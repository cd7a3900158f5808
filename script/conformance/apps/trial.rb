# frozen_string_literal: true

module Conformance
  # One application on both servers: its answers, what a person sees in a browser, and what it does
  # under load with restarts.
  class Trial
    # These headers need only be present: their values are random, or the server's own.
    CHANCE = %w[x-request-id x-runtime etag set-cookie].freeze
    OF_THE_SERVER = %w[server connection keep-alive transfer-encoding content-length date].freeze
    MASKS = [
      /(name="csrf-token" content=")[^"]+/, /(name="authenticity_token" value=")[^"]+/,
      /(nonce[=-]"?)[^"' ;]+/, /("(?:created|updated)_at":")[^"]+/, %r{(//127\.0\.0\.1:)\d+},
      /(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)[^"<]*/
    ].freeze

    # The result.
    class Verdict
      attr_reader :app, :error, :runs

      # @param runs [Hash{String => Hash}] of each server: answers, steps (in a browser; none: it
      #   has no pages for one), acknowledged, written, errors
      def initialize(app, runs: {}, version: nil, error: nil)
        @app = app
        @runs = runs
        @version = version
        @error = error
      end

      def title = @version

      # @return [Integer] how many pages were asked for
      def pages = @runs["puma"][:answers].size

      # @return [Integer] how many steps were done in a browser
      def steps = of("puma", :steps).size

      # @return [Array<String>] pages that differ
      def differing = differences(:answers)

      # @return [Array<String>] steps in a browser after which it shows something else
      def differing_steps = differences(:steps)

      # Raffia lost nothing, and answers as Puma does. What Puma loses is Puma's.
      def passed? = !@error && differing.empty? && differing_steps.empty? && whole?(@runs["raffia"])

      def lines
        return ["   #{@app} cannot be run: #{@error}"] if @error

        @runs.map { |server, run| line(server, run) } + differing.map { |page| difference(page) } +
          differing_steps.map { |step| step_difference(step) }
      end

      private

      def of(server, what) = @runs[server].fetch(what, {})

      def differences(what)
        raffia, puma = of("raffia", what), of("puma", what)
        (puma.keys | raffia.keys).reject { |name| puma[name] == raffia[name] }
      end

      def whole?(run) = run[:errors].empty? && [nil, run[:acknowledged]].include?(run[:written])

      def line(server, run)
        kept = run[:written] ? ", #{run[:written]} kept" : ""
        errors = run[:errors].tally.map { |error, number| "#{number} x #{error}" }
        "   #{@version} on #{server}: #{run[:acknowledged]} writes acknowledged#{kept}, " \
          "#{run[:errors].size} errors#{": #{errors.join("; ")}" if errors.any?}" \
          "#{", #{run[:steps].size} steps in Chromium" if run[:steps]&.any?}"
      end

      def flat(answer) = {status: answer[:status], body: answer[:body], **answer[:headers]}

      def difference(page)
        raffia, puma = @runs.values_at("raffia", "puma").map { |run| run[:answers][page] }
        parts = flat(puma).to_a - flat(raffia).to_a
        here = flat(raffia).to_a - flat(puma).to_a
        "   #{page} differs: #{here.to_s[0, 400]} (Puma: #{parts.to_s[0, 400]})"
      end

      def step_difference(step)
        raffia, puma = %w[raffia puma].map { |server| of(server, :steps)[step].to_s[0, 400] }
        "   #{step} differs: #{raffia} (Puma: #{puma})"
      end
    end

    def initialize(app, say)
      @app = app
      @say = say
    end

    # @return [Verdict]
    def call
      runs = AppServer::KINDS.keys.to_h { |server| [server, on(server)] }
      Verdict.new(@app.name, runs: runs, version: "#{@app.name} #{@app.version}")
    end

    private

    def on(name)
      folder = @app.copy(name)
      AppServer.open(name, folder, @app.env(folder)) do |server|
        first = AppClient.open(server.port) { |client| @app.write(client) }
        answers = answers(server)
        steps = @app.visited? ? steps(server) : {}
        load = AppLoad.new(@app, server).call
        written = AppClient.open(server.port) { |client| @app.written(client) }
        {answers: answers, steps: steps, acknowledged: load.acknowledged + (first ? 1 : 0),
         written: written, errors: load.errors}
      end
    end

    def answers(server)
      AppClient.open(server.port) do |client|
        @app.pages.to_h { |page| [page, answer(client.get(page))] }
      end
    end

    # @return [Hash{String => Hash}] what the browser shows after each step
    def steps(server)
      AppVisitor.open(server.port) do |visitor|
        @app.visit(visitor)
        visitor.steps.each.with_index(1).to_h do |state, number|
          ["#{number}, #{state["step"]}", state]
        end
      end
    end

    def answer(response)
      headers = response.to_hash.except(*OF_THE_SERVER)
        .to_h { |name, values|
        [name, CHANCE.include?(name) ? "..." : values.map { |value|
          mask(value)
        }]
      }
      {status: response.code, headers: headers,
       body: mask(response.body.to_s.dup.force_encoding("UTF-8"))}
    end

    def mask(text) = MASKS.reduce(text) { |result, pattern| result.gsub(pattern, '\1...') }
  end
end
