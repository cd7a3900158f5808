# frozen_string_literal: true

namespace :lab do
  desc "Every experiment of the lab, tiny and once: are its results right? Its figures mean nothing"
  task smoke: :compile do
    all =
      %(Raffia::CLI.call(["lab", "run", *Raffia::Lab::EXPERIMENTS.keys, "--runs", "1",
        "--scale", "0.01"]))
    ruby "-Ilib", "-rraffia/lab", "-rraffia/cli", "-e", "exit #{all}", verbose: false
  end
end

desc "The programs of bench/, one after the other; BENCH=part of a name for some of them. " \
  "Nothing else should run meanwhile"
task bench: :compile do
  programs = Dir["bench/*.rb"].sort.grep(/#{Regexp.escape(ENV.fetch("BENCH", ""))}/)
  abort "bench: no program of bench/ is called #{ENV["BENCH"]}" if programs.empty?
  programs.each do |program|
    puts "== #{program}"
    ruby "-Ilib", program, verbose: false
  end
end

namespace :bench do
  namespace :rails do
    desc "Memory of Raffia and Puma with a Rails application; REQUESTS=10000"
    task memory: :compile do
      ruby "-Ilib", "bench/rails/memory.rb", verbose: false
    end
  end

  desc "100 upgrades of a server under load, and the same load without them; what it takes from " \
    "the environment is in bench/takeover/main.rb"
  task takeover: :compile do
    ruby "-Ilib", "bench/takeover/main.rb", verbose: false
  end

  desc "Deadlocks of job systems in MariaDB; what it takes from the environment is in " \
    "bench/deadlocks/main.rb"
  task deadlocks: :compile do
    ruby "-Ilib", "bench/deadlocks/main.rb", verbose: false
  end

  {engine: "The engines", pool: "The pools", server: "The servers", jobs: "The job systems",
   job_features: "What jobs can do, in several systems",
   actor: "The actors", rails: "A Rails application on the servers"}.each do |suite, title|
    desc "#{title} side by side; what it takes from the environment is in " \
      "bench/#{suite}/main.rb. QUICK=1 for a smoke run"
    task suite => :compile do
      ruby "-Ilib", "bench/#{suite}/main.rb", verbose: false
    end

    namespace suite do
      desc "Write the tables of docs/performance.md from the last results of bench:#{suite}"
      task :page do
        ruby "-Ilib", "bench/#{suite}/main.rb", "page", verbose: false
      end
    end
  end
end
