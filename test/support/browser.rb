# frozen_string_literal: true

require "base64"
require "io/nonblock"
require "json"
require "tmpdir"
require "fileutils"

module TestSupport
  # A real Chromium, spoken to over its own protocol by two pipes (--remote-debugging-pipe: JSON,
  # ended by NUL): no driver program, no gem.
  class Browser
    class Missing < StandardError; end
    # The page that was asked is there no more.
    class Gone < StandardError; end

    NAMES = %w[chromium chromium-browser google-chrome].freeze
    PATIENCE = 60
    # It must not call home, and a container has neither its sandbox nor much shared memory.
    FLAGS = %w[--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
      --disable-background-networking --disable-sync
      --disable-component-update --disable-extensions --ignore-certificate-errors
      --remote-debugging-pipe --hide-scrollbars].freeze

    def self.program
      folders = ENV["PATH"].split(":")
      NAMES.filter_map { |name|
        folders.map { |folder| File.join(folder, name) }
          .find { |path| File.executable?(path) }
      }.first or
        raise Missing, "Chromium is not installed here (as root: bin/setup --server)"
    end

    # @yieldparam browser [Browser] which is gone, with all it wrote, when the block ends
    def self.open
      browser = new(program)
      yield browser
    ensure
      browser&.quit
    end

    def initialize(program)
      @folder = Dir.mktmpdir("raffia-browser-")
      its_input, @orders = IO.pipe
      @answers, its_output = IO.pipe
      # Ruby's pipes do not block, and the browser takes that for their end.
      [its_input, its_output].each { |pipe| pipe.nonblock = false }
      # A killed process cannot clean up after itself.
      @pid = ::Process.spawn({"HOME" => @folder, "TMPDIR" => @folder}, program, *FLAGS,
        "--user-data-dir=#{@folder}", "about:blank",
        3 => its_input, 4 => its_output, :out => File.join(@folder, "log"), :err => %i[child out],
        :pgroup => true)
      [its_input, its_output].each(&:close)
      @number = 0
      @complaints = Hash.new { |all, session| all[session] = [] }
    end

    # @return [Hash{String => Array<String>}] by session: errors of scripts, and what the browser
    #   itself has to say, such as what it did not load
    attr_reader :complaints

    # @return [Page] in a tab of its own
    def visit(url, width: 1280, height: 800)
      target = call("Target.createTarget", url: "about:blank")["targetId"]
      session = call("Target.attachToTarget", targetId: target, flatten: true)["sessionId"]
      Page.new(self, session, target).tap do |page|
        page.size(width, height)
        page.go(url)
      end
    end

    # @return [Hash] the result of a method of the protocol
    def call(method, session = nil, **params)
      @number += 1
      @orders.write(JSON.generate({id: @number, method: method, params: params,
                                   sessionId: session}.compact), "\0")
      loop do
        message = next_message
        next note(message) unless message["id"] == @number
        if message.dig("error", "message").to_s.match?(/navigated|context/)
          raise Gone, "#{method}: #{message["error"]}"
        end
        raise "#{method}: #{message["error"]}" if message["error"]

        return message["result"]
      end
    end

    def quit
      ::Process.kill(:KILL, -@pid)
      ::Process.wait(@pid)
      [@orders, @answers].each(&:close)
      FileUtils.rm_rf(@folder)
    end

    private

    # Keeps the events that report a fault.
    def note(event)
      entry = event["params"]
      text = case event["method"]
      when "Runtime.exceptionThrown"
        entry["exceptionDetails"].values_at("text", "exception").join(" ")
      when "Log.entryAdded" then entry["entry"].values_at("level", "text", "url").join(" ")
      when "Runtime.consoleAPICalled"
        if %w[error warning assert].include?(entry["type"])
          entry["args"].map { |one| one["value"] }.join(" ")
        end
      end
      @complaints[event["sessionId"]] << text if text
    end

    def next_message
      unless @answers.wait_readable(PATIENCE)
        raise "the browser does not answer:\n#{File.read(File.join(@folder, "log"))}"
      end

      line = @answers.gets("\0") or
        raise "the browser has ended:\n#{File.read(File.join(@folder, "log"))}"
      JSON.parse(line.chomp("\0"))
    end

    # One tab.
    class Page
      def initialize(browser, session, target)
        @target = target
        @browser = browser
        @session = session
        %w[Log Runtime].each { |domain| browser.call("#{domain}.enable", session) }
      end

      # @return [Array<String>] what is wrong with the page, by the browser
      def complaints
        self.eval("1") # what has happened by now has been told before the answer
        @browser.complaints[@session]
      end

      # @param key [String] as KeyboardEvent has it
      def press(key)
        text = (key.size == 1) ? {text: key} : {}
        code = {"Enter" => {windowsVirtualKeyCode: 13, text: "\r"},
                "Escape" => {windowsVirtualKeyCode: 27},
                "Tab" => {windowsVirtualKeyCode: 9}}.fetch(key, {})
        @browser.call("Input.dispatchKeyEvent", @session, type: "keyDown", key: key, **text, **code)
        @browser.call("Input.dispatchKeyEvent", @session, type: "keyUp", key: key,
          **code.except(:text))
      end

      # Types text into the field that has the focus, in place of what is selected there.
      def type(text) = @browser.call("Input.insertText", @session, text: text)

      # Whether pages may run scripts, from the next one on.
      def scripts(on) = @browser.call("Emulation.setScriptExecutionDisabled", @session, value: !on)

      def size(width, height)
        @browser.call("Emulation.setDeviceMetricsOverride", @session, width: width, height: height,
          deviceScaleFactor: 1, mobile: width < 600)
      end

      def dark(on = true)
        @browser.call("Emulation.setEmulatedMedia", @session,
          features: [{name: "prefers-color-scheme", value: on ? "dark" : "light"}])
      end

      def go(url)
        error = @browser.call("Page.navigate", @session, url: url)["errorText"]
        raise "#{url}: #{error}" if error

        await("document.readyState === 'complete' && location.href !== 'about:blank'")
      end

      # @return [Object] the expression's value
      def eval(expression)
        answer = @browser.call("Runtime.evaluate", @session, expression: expression,
          returnByValue: true, awaitPromise: true)
        raise answer["exceptionDetails"].to_s if answer["exceptionDetails"]

        answer.dig("result", "value")
      end

      # Waits until the expression is truthy.
      # @return [Object] its value
      def await(expression)
        give_up = TestSupport.now + PATIENCE
        until (value = try(expression))
          if TestSupport.now > give_up
            raise "never became true: #{expression}; the page: " \
              "#{self.eval("document.body.innerText")}"
          end
          sleep(0.02)
        end
        value
      end

      # While another page comes, there is none to ask.
      def try(expression)
        self.eval(expression)
      rescue Gone
        nil
      end

      def close = @browser.call("Target.closeTarget", targetId: @target)

      # @return [String] a PNG
      def picture
        # A tab behind another one is never drawn.
        @browser.call("Page.bringToFront", @session)
        @browser.call("Page.captureScreenshot", @session, format: "png")["data"].unpack1("m")
      end
    end
  end
end
